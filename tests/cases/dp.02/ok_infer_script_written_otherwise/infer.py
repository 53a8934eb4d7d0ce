import mindspore as ms
import mindspore.dataset as ds
from mindspore.dataset.vision import HWC2CHW, Normalize
from network import Net
from patterns import patterns

MEAN, DEVIATION = 0.39 * 255, 0.2 * 255

net = Net()
ms.load_param_into_net(net, ms.load_checkpoint("net.ckpt"))
net.set_train(False)
pictures, _ = patterns(5, 12)
data = ds.NumpySlicesDataset((pictures, _), ["picture", "kind"], shuffle=False)
data = data.map(Normalize([MEAN], [DEVIATION]), input_columns="picture")
data = data.map(HWC2CHW(), input_columns="picture").batch(1)
for row in data.create_dict_iterator(num_epochs=1):
    print(net(row["picture"]).argmax(axis=1))
