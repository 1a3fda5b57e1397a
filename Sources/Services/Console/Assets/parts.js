// The parts that pages are made of.
import { html, useState, useEffect, useLayoutEffect, useRef, classes } from "./base.js";

// --- Icons, drawn on 20 × 20 with one pen

const paths = {
  home: "M3 9.2 10 3.5l7 5.7M5 8v8.5h3.5V12h3v4.5H15V8",
  tables: "M3 4.5h14v11H3zM3 8.2h14M3 11.9h14M8 8.2v7.3",
  access: "M10 2.8 4 5v4.6c0 3.7 2.5 6.2 6 7.6 3.500-1.400 6-3.900 6-7.600V5zM7.400 9.900l1.900 1.900 3.400-3.700",
  users: "M10 9.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 16.500c.4-3 2.900-4.700 6-4.700s5.600 1.700 6 4.700",
  functions: "M7 4.500C5.500 4.500 5.500 6 5.500 7s0 3-2 3c2 0 2 2 2 3s0 2.500 1.500 2.500M13 4.500c1.500 0 1.500 1.500 1.500 2.500s0 3 2 3c-2 0-2 2-2 3s0 2.500-1.500 2.500",
  jobs: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4.200l2.800 1.700",
  logs: "M4 5h12M4 8.300h8M4 11.700h12M4 15h6",
  metrics: "M3 16.500h14M4.500 13l3.300-4 3 2.300L16 5",
  sql: "M4.500 5.500 8 9l-3.500 3.500M10 14h6",
  schema: "M3.500 4h5v4h-5zM11.500 12h5v4h-5zM6 8v6h5.500",
  files: "M3 5.500h5l1.500 2H17v8H3z",
  push: "M10 3a4.500 4.500 0 0 0-4.500 4.500c0 3.500-1.500 4.500-1.500 5.500h12c0-1-1.500-2-1.500-5.500A4.500 4.500 0 0 0 10 3zM8.500 15.500a1.500 1.500 0 0 0 3 0",
  live: "M10 11.200a1.200 1.200 0 1 0 0-2.400 1.200 1.200 0 0 0 0 2.400zM7 13a4.200 4.200 0 0 1 0-6M13 7a4.200 4.200 0 0 1 0 6M4.500 15.500a7.800 7.800 0 0 1 0-11M15.500 4.500a7.800 7.800 0 0 1 0 11",
  backups: "M4 6.500c0-1.700 2.700-3 6-3s6 1.300 6 3-2.700 3-6 3-6-1.300-6-3zM4 6.500v7c0 1.700 2.700 3 6 3s6-1.300 6-3v-7M4 10c0 1.700 2.700 3 6 3s6-1.300 6-3",
  folder: "M3 5.500h5l1.500 2H17v8H3z",
  file: "M5.500 3h6l3.500 3.500V17h-9.500zM11 3v4h4",
  settings: "M4 6h7M15 6h1M4 14h1M9 14h7M13 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  more: "M5 10h.01M10 10h.01M15 10h.01",
  search: "M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM13 13l4 4",
  plus: "M10 4.500v11M4.500 10h11",
  close: "m5.500 5.500 9 9M14.500 5.500l-9 9",
  check: "m4.500 10.500 3.500 3.500 7.500-8",
  down: "m6 8 4 4 4-4",
  right: "m8 6 4 4-4 4",
  left: "m12 6-4 4 4 4",
  first: "M6 5v10M14 6l-4 4 4 4",
  last: "M14 5v10M6 6l4 4-4 4",
  up: "m6 12 4-4 4 4",
  filter: "M3.500 5h13l-5 6v4.500l-3 1V11z",
  refresh: "M16 6.500A7 7 0 1 0 17 10M16.500 3v3.700h-3.700",
  trash: "M4.500 6h11M8 6V4h4v2M6 6l.7 10.500h6.600L14 6",
  copy: "M7.500 7.500h8v9h-8zM12.500 7.500v-4h-8v9h3",
  download: "M10 3.500v9M6.500 9.500 10 13l3.500-3.500M4 16.500h12",
  upload: "M10 13V4M6.500 7 10 3.500 13.500 7M4 16.500h12",
  link: "M8.500 11.500 15 5M10.500 4.500H15.500V9.500M13 11.500v4H4.500V7h4",
  key: "M7 12.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM10.500 9H17v3M14 9v2.500",
  lock: "M5 9h10v7.500H5zM7 9V6.500a3 3 0 0 1 6 0V9",
  play: "M6 4.500v11l9-5.500z",
  pause: "M7 4.500v11M13 4.500v11",
  stop: "M5.500 5.500h9v9h-9z",
  out: "M8 4H4v12h4M12 6.500 15.500 10 12 13.500M15.500 10H8",
  eye: "M2.500 10C4 6.800 6.700 5 10 5s6 1.800 7.500 5c-1.500 3.200-4.200 5-7.500 5s-6-1.800-7.500-5zM10 12.300a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600z",
  pen: "M4 16l.8-3.500L13 4.300l2.700 2.700-8.200 8.200z",
  warning: "M10 3.500 2.800 16h14.400zM10 8.500v3.500M10 14h.01",
};

export const Icon = ({ name, size = 18 }) => html`
  <svg class="icon" width=${size} height=${size} viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.5"
    stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d=${paths[name] || paths.more} /></svg>`;

export const Mark = ({ size = 24 }) => html`
  <svg width=${size} height=${size} viewBox="0 0 24 24" fill="none" aria-hidden="true">
    <path class="mark" d="M2 5c4.500.3 7.600 2.200 9.700 5.200C14.600 7.400 18.400 6.300 22 7c-2.700.7-4.700 2-6 4.200-1.600 2.800-3.700 4.500-6.700 4.900L3.500 20l2.700-4.900C9 14 9.300 12.500 8.800 11 7.700 8.200 5.200 6.200 2 5z" />
  </svg>`;

// --- Small things

export const Button = ({ icon, kind = "", children, label, class: more, ...rest }) => html`
  <button type="button" class=${classes("button", kind, !children && "square", more)} aria-label=${label} title=${label} ...${rest}>
    ${icon && html`<${Icon} name=${icon} />`}${children && html`<span>${children}</span>`}
  </button>`;

export const Tag = ({ kind = "", children, title }) => html`<span class=${classes("tag", kind)} title=${title}>${children}</span>`;

export const Spinner = () => html`<span class="spinner" role="status" aria-label="Loading"></span>`;

export const Empty = ({ icon = "search", title, children }) => html`
  <div class="empty"><${Icon} name=${icon} size=${28} /><h2>${title}</h2>${children && html`<p>${children}</p>`}</div>`;

/** What went wrong, where it went wrong. */
export function Fault({ error }) {
  if (!error) return null;
  const { detail, hint, sqlstate } = error.details || {};
  return html`<div class="fault" role="alert"><${Icon} name="warning" /><div>
    <p>${error.message}</p>
    ${detail && html`<p class="dim">${detail}</p>`}
    ${hint && html`<p class="dim">${hint}</p>`}
    ${sqlstate && html`<p class="dim">SQLSTATE ${sqlstate}</p>`}
  </div></div>`;
}

export const Field = ({ label, hint, error, children }) => html`
  <label class="field"><span class="label">${label}</span>${children}
    ${hint && html`<span class="hint">${hint}</span>`}
    ${error && html`<span class="field-error" role="alert">${error}</span>`}
  </label>`;

export function Select({ value, options, onChange, ...rest }) {
  return html`<select value=${value} onChange=${(event) => onChange(event.target.value)} ...${rest}>
    ${options.map((option) => {
      const [key, text] = Array.isArray(option) ? option : [option, option];
      return html`<option value=${key} selected=${key === value}>${text}</option>`;
    })}
  </select>`;
}

export const Search = ({ value, onInput, label = "Search", ...rest }) => html`
  <div class="search"><${Icon} name="search" size=${16} />
    <input type="search" value=${value} placeholder=${label} aria-label=${label} onInput=${(event) => onInput(event.target.value)} ...${rest} />
  </div>`;

export const Code = ({ children, label = "Code", block = true }) => html`
  <div class="code"><pre tabindex="0" aria-label=${label}><code>${children}</code></pre>${block && html`<${Copy} text=${String(children)} />`}</div>`;

export function Copy({ text }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try { await navigator.clipboard.writeText(text); } catch { return say("The browser does not let us copy.", "bad"); }
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return html`<${Button} kind="ghost small copy" icon=${done ? "check" : "copy"} label=${done ? "Copied" : "Copy"} onClick=${copy} />`;
}

export const Tabs = ({ tabs, value, onChange, label }) => html`
  <div class="tabs" role="tablist" aria-label=${label}>
    ${tabs.map(([key, text, count]) => html`
      <button type="button" role="tab" aria-selected=${key === value} class=${classes("tab", key === value && "on")} onClick=${() => onChange(key)}>
        ${text}${count !== undefined && html`<span class="count">${count}</span>`}
      </button>`)}
  </div>`;

/** The head of a page. */
export const Head = ({ title, sub, children, back }) => html`
  <header class="head">
    ${back && html`<a class="back" href=${back} aria-label="Back"><${Icon} name="left" /></a>`}
    <div class="titles"><h1>${title}</h1>${sub && html`<p class="sub">${sub}</p>`}</div>
    <div class="actions">${children}</div>
  </header>`;

// --- A sheet at the side, over the page

const focusable = "a[href], button:not([disabled]), input:not([disabled]), select, textarea, [tabindex]:not([tabindex='-1'])";

export function Sheet({ title, sub, onClose, children, foot, wide }) {
  const box = useRef();
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const before = document.activeElement;
    box.current.focus();
    return () => before?.isConnected && before.focus?.();
  }, []);
  const key = (event) => {
    if (event.key === "Escape") { event.stopPropagation(); close.current(); }
    if (event.key !== "Tab") return;
    const all = [...box.current.querySelectorAll(focusable)].filter((each) => each.offsetParent);
    const [first, last] = [all[0], all[all.length - 1]];
    if (event.shiftKey && (document.activeElement === first || document.activeElement === box.current)) { event.preventDefault(); last?.focus(); }
    else if (!event.shiftKey && document.activeElement === last) { event.preventDefault(); first?.focus(); }
  };
  return html`
    <div class="scrim" onClick=${(event) => event.target === event.currentTarget && close.current()}>
      <section class=${classes("sheet", wide && "wide")} role="dialog" aria-modal="true" aria-label=${title} tabindex="-1" ref=${box} onKeyDown=${key}>
        <header class="sheet-head"><div class="titles"><h2>${title}</h2>${sub && html`<p class="sub">${sub}</p>`}</div>
          <${Button} kind="ghost" icon="close" label="Close" onClick=${() => close.current()} /></header>
        <div class="sheet-body">${children}</div>
        ${foot && html`<footer class="sheet-foot">${foot}</footer>`}
      </section>
    </div>`;
}

/** Asks before something that cannot be taken back. `confirm` says what will happen. */
export function Confirm({ title, children, confirm, danger = true, onYes, onNo }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState();
  const yes = async () => {
    setBusy(true);
    try { await onYes(); } catch (error) { setError(error); setBusy(false); }
  };
  return html`<${Sheet} title=${title} onClose=${onNo} foot=${html`
    <${Button} onClick=${onNo}>Keep it<//><${Button} kind=${danger ? "danger" : "primary"} disabled=${busy} onClick=${yes}>${confirm}<//>`}>
    ${children}<${Fault} error=${error} /><//>`;
}

// --- Messages that go by themselves, read out by screen readers

let show = () => {};
export const say = (text, kind = "good") => show({ text, kind, id: Math.random() });

export function Messages() {
  const [all, setAll] = useState([]);
  useEffect(() => {
    show = (message) => {
      setAll((all) => [...all.slice(-2), message]);
      setTimeout(() => setAll((all) => all.filter((each) => each !== message)), 6000);
    };
  }, []);
  return html`<div class="messages" role="status" aria-live="polite">
    ${all.map((each) => html`<p key=${each.id} class=${classes("message", each.kind)}>
      <${Icon} name=${each.kind === "bad" ? "warning" : "check"} />${each.text}</p>`)}
  </div>`;
}

// --- JSON as a tree

export function Tree({ value, name, open = true, depth = 0 }) {
  const [isOpen, setOpen] = useState(open && depth < 2);
  const label = name === undefined ? null : html`<span class="tree-name">${name}: </span>`;
  if (value === null || typeof value !== "object") {
    return html`<div class="tree">${label}<span class=${"tree-" + (value === null ? "null" : typeof value)}>${JSON.stringify(value)}</span></div>`;
  }
  const entries = Object.entries(value);
  const kind = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return html`<div class="tree">
    <button type="button" class="tree-toggle" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>
      <${Icon} name=${isOpen ? "down" : "right"} size=${14} />${label}<span class="dim">${kind}</span></button>
    ${isOpen && html`<div class="tree-inner">${entries.slice(0, 200).map(([key, each]) => html`<${Tree} key=${key} name=${key} value=${each} depth=${depth + 1} />`)}
      ${entries.length > 200 && html`<p class="dim">and ${entries.length - 200} more</p>`}</div>`}
  </div>`;
}
