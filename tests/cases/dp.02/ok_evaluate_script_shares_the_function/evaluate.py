import mindspore as ms
from data import Pictures, build
from train_network import make

net = make()
ms.load_checkpoint("net.ckpt", net)
net.set_train(False)
for picture, _ in build(Pictures("test"), 10, training=False).create_tuple_iterator(num_epochs=1):
    print(net(picture).argmax(axis=1))
