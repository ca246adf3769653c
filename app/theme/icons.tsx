/** The page's own drawings: the mark and a few icons, 16 pixels, in the colour of the text. */
interface IconProps {
  readonly size?: number;
}

/** A seahorse: in myth the hippocamp draws Triton's chariot. The same drawing as `icon.svg`. */
export function Mark({ size = 26 }: IconProps): React.ReactNode {
  return (
    <svg width={size} height={size} viewBox="1.5 0.5 21 22" fill="none" aria-hidden="true">
      <path
        fill="currentColor"
        fillRule="evenodd"
        d="M3.2 8.9c-.5-.9 0-1.7.9-2L8 5.7C8.4 3.6 10.2 2.4 12.2 2.4c2.9 0 5 2.1 5 4.9 0 1.7-.5 2.9-1.1 4.2-.8 1.6-1.5 2.9-1.1 4.5.2.9.9 1.5 1.7 1.4.7-.1 1-.9.5-1.4-.5-.4-.5-1 0-1.4.6-.4 1.3-.2 1.8.4 1.1 1.5.6 4.3-1.7 5.2-3 1.1-6.2-.8-6.8-4.1-.4-2.3.4-4 .9-5.3.3-.8.4-1.3 0-1.6-.5-.4-1.5-.2-2.7.2l-3.4 1.1c-.9.3-1.7-.4-2.1-1.6ZM11.6 5.3a1 1 0 1 0 0 2 1 1 0 0 0 0-2Z"
      />
      <path
        fill="currentColor"
        d="M17.2 9.2c1.4-.3 2.7.1 3.6 1-.8.3-1.3.8-1.5 1.4.3.4.4 1 .3 1.7-1.1-.6-2.3-.8-3.6-.5.7-1.2 1.1-2.3 1.2-3.6Z"
      />
      <path
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        d="M10.4 2.6 9.8 1.2M13.4 2.3 13.7.8M16.2 3.6 17.3 2.5"
      />
    </svg>
  );
}

function icon(path: React.ReactNode, filled = false): (props: IconProps) => React.ReactNode {
  return function Icon({ size = 16 }: IconProps) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 16 16"
        fill={filled ? 'currentColor' : 'none'}
        stroke={filled ? 'none' : 'currentColor'}
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {path}
      </svg>
    );
  };
}

export const PlayIcon = icon(
  <path d="M4.5 2.8v10.4a.6.6 0 0 0 .9.5l8.2-5.2a.6.6 0 0 0 0-1L5.4 2.3a.6.6 0 0 0-.9.5Z" />,
  true,
);
export const StopIcon = icon(<rect x="3.500" y="3.500" width="9" height="9" rx="1" />, true);
export const ChevronIcon = icon(<path d="m4.5 6.5 3.5 3.5 3.5-3.5" />);
export const SunIcon = icon(
  <>
    <circle cx="8" cy="8" r="2.800" />
    <path d="M8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.8.8M11.8 11.8l.8.8M3.4 12.6l.8-.8M11.8 4.2l.8-.8" />
  </>,
);
export const MoonIcon = icon(<path d="M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1Z" />);
export const SystemIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.800" />
    <path d="M8 2.2v11.6a5.8 5.8 0 0 0 0-11.6Z" fill="currentColor" stroke="none" />
  </>,
);
export const GearIcon = icon(
  <>
    <path d="M2 4.5h6.5M12.5 4.5H14M2 11.5h1.5M7.5 11.5H14" />
    <circle cx="10.500" cy="4.500" r="1.900" />
    <circle cx="5.500" cy="11.500" r="1.900" />
  </>,
);
export const CopyIcon = icon(
  <>
    <rect x="5.500" y="5.500" width="8" height="8" rx="1.500" />
    <path d="M3.5 10.5h-.2a.8.8 0 0 1-.8-.8V3.3c0-.4.4-.8.8-.8h6.4c.4 0 .8.4.8.8v.2" />
  </>,
);
export const ResetIcon = icon(<path d="M3 3v3.5h3.5M3.3 6.3A5.3 5.3 0 1 1 2.8 9.5" />);
export const SplitIcon = icon(
  <>
    <rect x="2.500" y="3" width="11" height="10" rx="1.500" />
    <path d="M8 3v10" />
  </>,
);
export const CloseIcon = icon(<path d="m4 4 8 8M12 4l-8 8" />);
export const ContrastIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.800" />
    <path d="M8 2.2a5.8 5.8 0 0 1 0 11.6Z" fill="currentColor" stroke="none" />
    <circle cx="8" cy="8" r="2.600" />
  </>,
);
export const ShareIcon = icon(
  <path d="M8 9.500V2.200M5.300 4.700 8 2l2.700 2.700M5 7H3.800A.8.8 0 0 0 3 7.800v5.400c0 .4.4.8.8.8h8.400c.4 0 .8-.4.800-.8V7.800a.8.8 0 0 0-.8-.8H11" />,
);
export const SearchIcon = icon(
  <>
    <circle cx="7" cy="7" r="4.200" />
    <path d="m10.200 10.200 3.300 3.300" />
  </>,
);
export const LearnIcon = icon(
  <path d="M8 4.200C6.600 3.200 4.700 2.900 2.500 3v9.500c2.200-.1 4.100.2 5.500 1.200 1.400-1 3.300-1.300 5.500-1.200V3c-2.200-.1-4.100.2-5.500 1.200Zm0 0v9.500" />,
);
export const MoreIcon = icon(<path d="M3.500 8h.01M8 8h.01M12.500 8h.01" strokeWidth="2.400" />);
