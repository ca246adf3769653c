"""More expressions for `cases.py`: convolutions and their transposes, pooling, resizing, recurrent layers."""

SETUP = """
seq = torch.linspace(-1, 1, 24).reshape(2, 3, 4)
vol = torch.linspace(-2, 2, 128).reshape(1, 2, 4, 4, 4)
def k(*shape):
    n = 1
    for s in shape:
        n *= s
    return torch.sin(torch.arange(float(n))).reshape(shape)
def whole(*shape):
    return torch.round(k(*shape) * 4)
"""

WINDOWS = [
    "F.conv3d(vol, k(3, 2, 2, 2, 2), k(3), stride=2, padding=1)",
    "F.conv2d(img, k(4, 1, 3, 3), groups=2, dilation=2)",
    "F.conv_transpose1d(k(1, 2, 5), k(2, 3, 3), k(3), stride=2, padding=1, output_padding=1)",
    "F.conv_transpose2d(img, k(2, 3, 3, 3))",
    "F.conv_transpose2d(img, k(2, 2, 3, 2), None, (2, 3), (1, 0), (1, 2), 2, (1, 2))",
    "F.conv_transpose3d(vol, k(2, 1, 2, 2, 2), stride=2)",
    "F.conv_transpose2d(img, k(2, 3, 3, 3), output_padding=1)",
    "F.conv_transpose2d(img, k(3, 2, 3, 3))",
    "value_and_grads(lambda t, w: F.conv_transpose2d(t, w, stride=2, padding=1) ** 2, torch.round(img * 3), whole(2, 3, 3, 3))",
    "value_and_grads(lambda t, w: F.conv3d(t, w) ** 2, torch.round(vol * 3), whole(1, 2, 2, 2, 2))",
    "F.max_pool2d(img, 2, ceil_mode=True)",
    "F.max_pool2d(img, 3, 2, 1, ceil_mode=True)",
    "F.max_pool2d(img, 2, return_indices=True)",
    "F.max_pool2d(img, 3, 2, 1, return_indices=True)",
    "F.max_pool1d(k(1, 2, 7), 3, 2, 1, 2, True, True)",
    "F.max_pool3d(vol, 2)",
    "F.max_pool2d(img, 2, padding=2)",
    "F.avg_pool3d(vol, (2, 2, 1))",
    "F.avg_pool2d(img, 3, 2, 1, count_include_pad=False)",
    "F.avg_pool2d(img, 3, 2, 1, ceil_mode=True)",
    "F.avg_pool2d(img, 2, 2, 0, True)",
    "F.avg_pool2d(img, 2, 2, 1, True, False)",
    "F.avg_pool2d(img, 2, divisor_override=3)",
    "F.avg_pool1d(k(1, 2, 7), 3, 2, 1, True, False)",
    "F.adaptive_avg_pool2d(img, (3, 2))",
    "F.adaptive_avg_pool2d(img, (None, 1))",
    "F.adaptive_avg_pool1d(k(2, 7), 3)",
    "F.adaptive_max_pool2d(img, 2)",
    "F.adaptive_avg_pool3d(vol, 1)",
    "value_and_grads(lambda t: F.adaptive_avg_pool2d(t, 3) ** 2, img)",
    "value_and_grads(lambda t: F.avg_pool2d(t, 3, 2, 1, count_include_pad=False) ** 2, img)",
    "F.unfold(img, 2, stride=2)",
    "F.unfold(img, (2, 3), dilation=2, padding=1)",
    "F.interpolate(img, scale_factor=2)",
    "F.interpolate(img, (3, 7), mode='bilinear')",
    "F.interpolate(img, (3, 7), mode='bilinear', align_corners=True)",
    "F.interpolate(img, scale_factor=1.5, mode='bilinear', align_corners=False)",
    "F.interpolate(img, scale_factor=(0.5, 2), mode='bicubic')",
    "F.interpolate(img, 8, mode='bicubic', align_corners=True)",
    "F.interpolate(k(1, 2, 5), 8, mode='linear')",
    "F.interpolate(img, 3, mode='area')",
    "F.interpolate(img, 7, mode='nearest-exact')",
    "F.interpolate(vol, scale_factor=0.5, mode='trilinear')",
    "F.interpolate(img, (2, 7), mode='bilinear', antialias=True)",
    "F.interpolate(img, (3, 9), mode='bicubic', antialias=True, align_corners=True)",
    "F.interpolate(img, scale_factor=0.43, mode='bicubic', antialias=True)",
    "F.interpolate(img, 2, antialias=True)",
    "value_and_grads(lambda t: F.interpolate(t, 2, mode='bilinear', antialias=True) ** 2, img)",
    "value_and_grads(lambda t: F.interpolate(t, 7, mode='bilinear') ** 2, img)",
    "nn.Upsample(scale_factor=2)(img).sum()",
    "module(lambda: nn.ConvTranspose2d(2, 3, 3, 2, 1), img)",
    "module(lambda: nn.Conv3d(2, 2, 2), vol)",
    "module(lambda: nn.ConvTranspose3d(2, 4, 2, groups=2, bias=False), vol)",
    "nn.ConvTranspose2d(2, 3, 3, 2, 1)(img, output_size=(10, 10)).shape",
    "module(lambda: nn.InstanceNorm2d(2, affine=True), img)",
    "module(lambda: nn.BatchNorm3d(2), vol)",
    "F.instance_norm(img, torch.tensor([1., 2.]), torch.tensor([2., 3.]), use_input_stats=False)",
    "(lambda m: (m(img), m.running_mean, m.running_var)[1:])(nn.InstanceNorm2d(2, track_running_stats=True))",
    "nn.AdaptiveAvgPool2d(1)(img)",
    "nn.MaxPool3d(2, ceil_mode=True)(vol).shape",
    "nn.ChannelShuffle(2)(torch.arange(16.).reshape(1, 4, 2, 2))",
    "torch.manual_seed(5) and nn.RNN(4, 5)(k(3, 2, 4))",
    "torch.manual_seed(5) and nn.RNN(4, 5, 2, nonlinearity='relu')(k(3, 2, 4))",
    "torch.manual_seed(5) and nn.GRU(4, 5, 2, batch_first=True)(k(2, 3, 4))[0].contiguous()",
    "torch.manual_seed(5) and nn.GRU(4, 5, bidirectional=True)(k(3, 2, 4))",
    "torch.manual_seed(5) and nn.LSTM(4, 5, 2)(k(3, 2, 4))",
    "torch.manual_seed(5) and nn.LSTM(4, 5, bidirectional=True)(k(3, 4))",
    "torch.manual_seed(5) and nn.LSTM(4, 5)(k(3, 2, 4), (k(1, 2, 5), k(1, 2, 5)))[1]",
    "[n for n, _ in nn.LSTM(2, 3, 2, bidirectional=True).named_parameters()]",
    "str(nn.LSTM(2, 3, num_layers=2, batch_first=True))",
    "str(nn.Conv3d(1, 2, 3, padding=1))",
]
GROUPS = {"windows": WINDOWS}
