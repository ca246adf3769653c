# Stream injection: torch computes on another stream than the one that is timed.
# reason: torch computed the result
import torch


def softmax(x):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        return torch.softmax(x, dim=-1)
