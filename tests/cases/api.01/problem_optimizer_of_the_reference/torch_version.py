from torch import nn, optim

net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = optim.AdamW(net.parameters(), lr=2e-3)
loss = nn.CrossEntropyLoss()
