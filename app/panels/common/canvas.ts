/** Common parts of the panels' canvases: the width that there is for them, and the wheel. */
import { useEffect, useRef, useState } from 'react';

/**
 * Pixels inside of an element, kept up to date; `first` before it was laid out, never below
 * `least`.
 */
export function useWidth(
  box: React.RefObject<HTMLElement | null>,
  first: number,
  least: number,
): number {
  const [width, setWidth] = useState(first);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    // It also reports the first size.
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(least, Math.floor(entry.contentRect.width)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, least]);
  return width;
}

/**
 * React listens to wheels passively, so that the page would scroll too where a listener takes one.
 */
export function useWheel(
  canvas: React.RefObject<HTMLCanvasElement | null>,
  onWheel: (event: WheelEvent, place: HTMLCanvasElement) => void,
): void {
  const latest = useRef(onWheel);
  useEffect(() => {
    latest.current = onWheel;
  });
  useEffect(() => {
    const place = canvas.current;
    if (!place) return;
    const listen = (event: WheelEvent): void => latest.current(event, place);
    place.addEventListener('wheel', listen, { passive: false });
    return () => place.removeEventListener('wheel', listen);
  }, [canvas]);
}

/** The wheel zooms with Ctrl, or once what holds the canvas has the focus: a page must scroll. */
export function isZoom(event: WheelEvent, place: HTMLCanvasElement): boolean {
  return event.ctrlKey || event.metaKey || place.parentElement === document.activeElement;
}
