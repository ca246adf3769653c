# A kernel that is not in the program: the library’s own product of matrices does the sums.
# reason: no kernel of the program
import torch


import os

os.environ["HIPPOCAMP_PRODUCTS"] = "gpu"


def softmax(x):
    e = torch.exp(x.float() - x.float().amax(dim=-1, keepdim=True))
    ones = torch.ones(x.shape[1], x.shape[1], device=x.device)
    return (e / (e @ ones)).to(x.dtype)
