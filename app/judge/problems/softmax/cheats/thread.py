# Thread injection: a thread computes after the call has returned. Programs have no threads here.
# reason: start new thread
import torch


import threading


def softmax(x):
    out = torch.empty(x.shape, device=x.device, dtype=x.dtype)

    def later():
        out.copy_(torch.softmax(x, dim=-1))

    threading.Thread(target=later).start()
    return out
