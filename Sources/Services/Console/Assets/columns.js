// Which cells of a wide table are on the page: hundreds of columns, times a hundred rows, would be slow to lay out.
import { useState, useLayoutEffect } from "./base.js";

/** Tables of more columns than this have columns of one width, and only the cells in sight are made. */
const many = 40;
const width = 180;
const first = 52;
/** The window moves in steps, so that not each pixel scrolled is a change. */
const step = 4;
const rowStep = 8;

export function useColumnWindow(box, count, rows) {
  const on = count > many;
  const [range, setRange] = useState([0, 16, 0, 40]);
  const height = () => box.current.querySelector("tbody tr")?.offsetHeight || 35;
  const look = () => {
    if (!on || !box.current) return;
    const { scrollLeft, clientWidth, scrollTop, clientHeight } = box.current;
    const now = [
      Math.max(0, Math.floor((scrollLeft - first) / width / step) * step), Math.min(count, Math.ceil((scrollLeft + clientWidth) / width / step) * step),
      Math.max(0, Math.floor(scrollTop / height() / rowStep) * rowStep - rowStep), Math.ceil((scrollTop + clientHeight) / height() / rowStep) * rowStep,
    ];
    setRange((old) => now.every((value, index) => value === old[index]) ? old : now);
  };
  useLayoutEffect(() => {
    if (!on || !box.current) return;
    look();
    const observer = new ResizeObserver(look);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [on, count, rows > 0]);
  if (!on) return { on, from: 0, to: count, top: 0, bottom: rows, look, reveal: () => {} };
  const [from, to] = [Math.min(range[0], count), Math.min(range[1], count)];
  const pixels = (value) => ({ width: `${value}px` });
  return {
    on, from, to, top: range[2], bottom: range[3], look,
    /** Scrolls a cell into sight. */
    reveal: (row, column) => {
      if (!box.current) return;
      const { scrollLeft, clientWidth, scrollTop, clientHeight } = box.current;
      const left = first + column * width;
      if (left - first < scrollLeft) box.current.scrollLeft = left - first;
      else if (left + width > scrollLeft + clientWidth) box.current.scrollLeft = left + width - clientWidth;
      const head = box.current.querySelector("thead").offsetHeight;
      const top = row * height();
      if (top < scrollTop) box.current.scrollTop = top;
      else if (head + top + height() > scrollTop + clientHeight) box.current.scrollTop = head + top + height() - clientHeight;
      look();
    },
    style: pixels(first + count * width), first: pixels(first), column: pixels(width), before: pixels(from * width), after: pixels((count - to) * width),
  };
}
