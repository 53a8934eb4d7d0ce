"""The original in PyTorch; read, never run."""

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3)
        self.act = nn.LeakyReLU()
        self.pool = nn.MaxPool2d(2)
        self.norm = nn.LayerNorm(72)
        self.head = nn.Linear(72, 3)

    def forward(self, x):
        x = self.pool(self.act(self.conv(x)))
        return self.head(self.norm(torch.flatten(x, 1)))


net = Net()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for image, label in torch.load("data.pt"):
    optimizer.zero_grad()
    criterion(net(image), label).backward()
    optimizer.step()
