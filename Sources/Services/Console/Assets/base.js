// What all pages use: the view library, the server, the address.
export {
  html, render, h, createContext, useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useContext,
} from "./preact-10.27.2-htm-3.1.1.min.js";
import { useState, useEffect, useRef, useCallback } from "./preact-10.27.2-htm-3.1.1.min.js";

// --- The server

export class Failure extends Error {
  constructor(status, code, message, details, statement) {
    super(message);
    Object.assign(this, { status, code, details: details || {}, statement });
  }
}

const root = "/console/api";
const listeners = { signedOut: new Set(), reach: new Set() };
export const on = (event, listener) => {
  listeners[event].add(listener);
  return () => listeners[event].delete(listener);
};
const tell = (event, value) => listeners[event].forEach((listener) => listener(value));

/** Asks the server. Throws a Failure with words for people. What is asked `byItself`, without a person, keeps no session alive. */
export async function ask(method, path, body, signal, byItself) {
  let answer;
  try {
    answer = await fetch(root + path, {
      method,
      headers: { "X-Console": byItself ? "tick" : "1", ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    tell("reach", false);
    throw new Failure(0, "UNREACHABLE", "The server does not answer. Is it running?");
  }
  tell("reach", true);
  if (answer.headers.get("Content-Type")?.startsWith("text/csv")) return answer;
  const value = await answer.json().catch(() => ({}));
  if (answer.ok) return value;
  const said = value.error || {};
  if (said.code === "SIGNED_OUT") tell("signedOut");
  throw new Failure(answer.status, said.code || "UNKNOWN", said.message || `The server said ${answer.status}.`, said.details);
}

/** Reads server-sent events (WHATWG HTML, 9.2.6) until the stream ends. */
export async function follow(path, onEvent, signal) {
  let answer;
  try {
    answer = await fetch(root + path, { headers: { "X-Console": "tick", Accept: "text/event-stream" }, credentials: "same-origin", signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(0, "UNREACHABLE", "The server does not answer. Is it running?");
  }
  if (!answer.ok) {
    const said = (await answer.json().catch(() => ({}))).error || {};
    if (said.code === "SIGNED_OUT") tell("signedOut");
    throw new Failure(answer.status, said.code || "UNKNOWN", said.message || `The server said ${answer.status}.`, said.details);
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) {
      const fields = Object.fromEntries(event.split("\n").filter((line) => line && line[0] !== ":").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
      if (fields.event) onEvent(fields.event, fields.id, JSON.parse(fields.data || "{}"));
    }
  }
}

export const read = (path, signal) => ask("GET", path, undefined, signal);
export const readByItself = (path) => ask("GET", path, undefined, undefined, true);
export const send = (path, body, signal) => ask("POST", path, body ?? {}, signal);

/** Loads when `path` changes and keeps what was there meanwhile, so that nothing jumps. A null path loads nothing. */
export function useData(path, body) {
  const [state, setState] = useState({ loading: path !== null });
  const [turn, setTurn] = useState(0);
  const byItself = useRef(false);
  const key = path === null ? null : path + (body === undefined ? "" : JSON.stringify(body));
  useEffect(() => {
    if (path === null) return setState({ loading: false });
    const control = new AbortController();
    setState((old) => ({ ...old, loading: true }));
    const isTick = byItself.current;
    byItself.current = false;
    ask(body === undefined ? "GET" : "POST", path, body, control.signal, isTick).then(
      (data) => setState({ data, key, loading: false }),
      (error) => error.name === "AbortError" || setState((old) => ({ data: old.data, key: old.key, error, loading: false })),
    );
    return () => control.abort();
  }, [key, turn]);
  const reload = useCallback(() => setTurn((turn) => turn + 1), []);
  const tick = useCallback(() => { byItself.current = true; reload(); }, []);
  // What a server that was away did not answer is asked again once it is back.
  const missed = useRef(false);
  missed.current = state.error?.code === "UNREACHABLE";
  useEffect(() => on("reach", (reached) => { if (reached && missed.current) { missed.current = false; reload(); } }), []);
  return { ...state, isCurrent: state.key === key, reload, tick };
}

/** Calls `work` now and every `milliseconds`, but not while the page is hidden. */
export function useTicks(milliseconds, work, when = true) {
  const current = useRef(work);
  current.current = work;
  useEffect(() => {
    if (!when) return;
    let timer, ended = false;
    const tick = async () => {
      if (ended) return;
      if (!document.hidden) await current.current();
      if (!ended) timer = setTimeout(tick, milliseconds);
    };
    tick();
    return () => { ended = true; clearTimeout(timer); };
  }, [milliseconds, when]);
}

// --- The address: #/area/part?name=value

function parse() {
  const [path, query = ""] = location.hash.slice(1).split("?");
  return {
    parts: path.split("/").filter(Boolean).map((part) => { try { return decodeURIComponent(part); } catch { return part; } }),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

export function link(parts, query = {}) {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ""));
  return "#/" + parts.map(encodeURIComponent).join("/") + (search.size ? "?" + search : "");
}

export function go(parts, query, { replace = false } = {}) {
  const target = link(parts, query);
  if (target === location.hash) return;
  if (!replace) return void (location.hash = target);
  history.replaceState(null, "", target);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute() {
  const [route, setRoute] = useState(parse);
  useEffect(() => {
    const change = () => setRoute(parse());
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, []);
  return route;
}

// --- Words

const formats = {
  time: new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" }),
  number: new Intl.NumberFormat("en"),
};
export const number = (value) => formats.number.format(value);
export const many = (count, one, more = one + "s") => `${number(count)} ${Number(count) === 1 ? one : more}`;
export const time = (text) => text ? formats.time.format(new Date(text)) : "";
export function ago(text) {
  if (!text) return "never";
  const seconds = (Date.now() - new Date(text)) / 1000;
  const size = Math.abs(seconds);
  const words = size < 60 ? `${Math.round(size)} s` : size < 3600 ? `${Math.round(size / 60)} min`
    : size < 86400 ? `${Math.round(size / 3600)} h` : `${Math.round(size / 86400)} d`;
  return seconds < 0 ? "in " + words : words + " ago";
}
export function bytes(count) {
  if (count < 1024) return `${count} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let size = count / 1024, unit = 0;
  while (size >= 1000 && unit < 3) { size /= 1024; unit += 1; }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}
export const classes = (...names) => names.filter(Boolean).join(" ");
