"""`torch.nn.utils.rnn`: sequences of several lengths in one tensor."""

import torch


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    longest = max(len(t) for t in sequences)
    first, batch = (len(sequences), longest), 0 if batch_first else 1
    made = sequences[0].new_full((*first[:: 1 - 2 * batch], *sequences[0].shape[1:]), padding_value)
    for row, t in zip(made.unbind(batch), sequences):
        at = longest - len(t) if padding_side == "left" else 0
        row[at : at + len(t)].copy_(t)
    return made


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[: int(length)] for row, length in zip(rows.unbind(0), torch.as_tensor(lengths).tolist())]


def __getattr__(name):
    from ..._missing import missing

    raise missing("torch.nn.utils.rnn", name, globals())
