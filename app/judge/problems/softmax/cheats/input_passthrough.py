# Input passthrough: the input is the result.
# reason: an input that is handed back
import torch


def softmax(x):
    return x
