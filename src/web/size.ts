import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** Returns the current size of an element in CSS pixels; `first` until it is known. */
export function useSize(first: { readonly width: number; readonly height: number }) {
  const element = useRef<HTMLDivElement>(null);
  const size = useSignal(first);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      const { width, height } = entry.contentRect;
      size.value = { width: Math.round(width), height: Math.round(height) };
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return { element, ...size.value };
}
