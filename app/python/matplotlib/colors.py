"""Colours by name, and the maps from numbers to colours: between some of the published colours of each map, linearly."""

import re

from . import missing

#: The order in which the lines of an axes take their colours (Tableau's, as matplotlib's).
CYCLE = "#1f77b4 #ff7f0e #2ca02c #d62728 #9467bd #8c564b #e377c2 #7f7f7f #bcbd22 #17becf".split()
_SHORT = {
    "b": "#0000ff", "g": "#008000", "r": "#ff0000", "c": "#00bfbf", "m": "#bf00bf", "y": "#bfbf00", "k": "#000000",
    "w": "#ffffff",
}  # fmt: skip
_TABLEAU = dict(zip("blue orange green red purple brown pink gray olive cyan".split(), CYCLE))
#: The names that CSS has; matplotlib has the same.
_NAMED = set(
    """aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood
    cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray
    darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen
    darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue
    firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew
    hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan
    lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue lightslategray
    lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine mediumblue
    mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred
    midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid
    palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple
    rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue
    slateblue slategray slategrey snow springgreen steelblue tan teal thistle tomato turquoise violet wheat white
    whitesmoke yellow yellowgreen""".split()
)
_HEX = re.compile("#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
#: Maps of single colours: a whole number is one of them.
_LISTED = {"tab10": CYCLE}
_MAPS = {
    "viridis": "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725",
    "plasma": "0d0887 46039f 7201a8 9c179e bd3786 d8576b ed7953 fb9f3a fdca26 f0f921",
    "magma": "000004 180f3d 440f76 721f81 9e2f7f cd4071 f1605d fd9668 feca8d fcfdbf",
    "inferno": "000004 1b0c41 4a0c6b 781c6d a52c60 cf4446 ed6925 fb9b06 f7d13d fcffa4",
    "gray": "000000 ffffff",
    "Blues": "f7fbff deebf7 c6dbef 9ecae1 6baed6 4292c6 2171b5 08519c 08306b",
    "Reds": "fff5f0 fee0d2 fcbba1 fc9272 fb6a4a ef3b2c cb181d a50f15 67000d",
    "Greens": "f7fcf5 e5f5e0 c7e9c0 a1d99b 74c476 41ab5d 238b45 006d2c 00441b",
    "coolwarm": "3b4cc0 6788ee 9abbff c9d7f0 edd1c2 f7a889 e26952 b40426",
    "RdBu": "67001f b2182b d6604d f4a582 fddbc7 f7f7f7 d1e5f0 92c5de 4393c3 2166ac 053061",
    "hot": "0b0000 ff0000 ffff00 ffffff",
    "jet": "000080 0000ff 00ffff ffff00 ff0000 800000",
}


class Colormap:
    def __init__(self, name):
        plain = "gray" if name in ("grey", "Greys_r") else name.removesuffix("_r")
        if name in ("binary", "Greys", "gray_r"):
            plain, name = "gray", "gray_r"
        self.name, self.is_listed = name, plain in _LISTED
        if plain not in _MAPS and not self.is_listed:
            raise missing(f"colormap {name!r}")
        hexes = [each[1:] for each in _LISTED[plain]] if self.is_listed else _MAPS[plain].split()
        stops = [tuple(bytes.fromhex(each)) for each in hexes]
        self.stops = stops[::-1] if name.endswith("_r") else stops

    def bytes_of(self, share):
        """Red, green and blue of a number in 0…1; NaN is white."""
        if share != share:
            return (255, 255, 255)
        share = min(max(share, 0.0), 1.0)
        if self.is_listed:
            return self.stops[min(int(share * len(self.stops)), len(self.stops) - 1)]
        place = share * (len(self.stops) - 1)
        first = min(int(place), len(self.stops) - 2)
        rest = place - first
        return tuple(round(a + (b - a) * rest) for a, b in zip(self.stops[first], self.stops[first + 1]))

    def __call__(self, share):
        """A whole number is a place in the map's table, which has 256 entries or its colours."""
        share = share.tolist() if hasattr(share, "tolist") else share
        if hasattr(share, "__iter__"):
            return [self(each) for each in share]
        if isinstance(share, int):
            last = len(self.stops) - 1 if self.is_listed else 255
            share = (min(share, last) + (0.5 if self.is_listed else 0)) / (last + self.is_listed)
        return (*(each / 255 for each in self.bytes_of(float(share))), 1.0)


def css(color):
    """A colour of matplotlib's as CSS has it, which is one of matplotlib's, too."""
    color = color.tolist() if hasattr(color, "tolist") else color
    if isinstance(color, (tuple, list)):
        if len(color) not in (3, 4):
            raise ValueError(f"{color!r} is not a valid value for color")
        if not all(0 <= float(each) <= 1 for each in color):
            raise ValueError("RGBA values should be within 0-1 range")
        parts = color[:3] if len(color) == 4 and color[3] == 1 else color
        return "#" + "".join(f"{round(float(each) * 255):02x}" for each in parts)
    color = str(color)
    if color in _SHORT:
        return _SHORT[color]
    if color.startswith("tab:") and color[4:] in _TABLEAU:
        return _TABLEAU[color[4:]]
    if len(color) > 1 and color[0] == "C" and color[1:].isdigit():
        return CYCLE[int(color[1:]) % len(CYCLE)]
    if color.replace(".", "", 1).isdigit() and float(color) <= 1:
        level = round(float(color) * 255)
        return f"#{level:02x}{level:02x}{level:02x}"
    if color.lower() == "none":
        return "none"
    if color.startswith("xkcd:"):
        raise missing(f"colour {color!r}")
    if _HEX.fullmatch(color) or color.lower() in _NAMED:
        return color
    raise ValueError(f"{color!r} is not a valid value for color")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise missing(f"matplotlib.colors.{name}")
