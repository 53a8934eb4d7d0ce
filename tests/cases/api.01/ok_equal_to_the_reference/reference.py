import torch
from torch import nn


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel_size=3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.LeakyReLU(0.1)
    )


net = nn.Sequential(block(1, 8), nn.AvgPool2d(2), nn.Flatten(), nn.Dropout(0.2), nn.Linear(128, 3))
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
