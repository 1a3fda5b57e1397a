// The shell: who is there, where they are, and the page for it.
import { html, render, useState, useEffect, useRef, useMemo, send, read, readByItself, on, useRoute, useData, link, go, classes } from "./base.js";
import { Icon, Mark, Button, Field, Fault, Messages, Spinner, Sheet } from "./parts.js";
import { Home } from "./home.js";
import { Tables } from "./tables.js";
import { Access } from "./access.js";
import { Users } from "./users.js";
import { Functions } from "./functions.js";
import { Jobs } from "./jobs.js";
import { Files } from "./files.js";
import { Push } from "./push.js";
import { Backups } from "./backups.js";
import { Live } from "./live.js";
import { Logs } from "./logs.js";
import { Metrics } from "./metrics.js";
import { SQL } from "./sql.js";
import { Schema } from "./schema.js";
import { Settings } from "./settings.js";

const areas = [
  ["home", "Home", Home], ["tables", "Tables", Tables], ["access", "Access", Access], ["users", "Users", Users],
  ["functions", "Functions", Functions], ["jobs", "Jobs", Jobs], ["files", "Files", Files], ["push", "Push", Push], ["live", "Live", Live], ["logs", "Logs", Logs], ["metrics", "Metrics", Metrics],
  ["sql", "SQL", SQL], ["schema", "Schema", Schema], ["backups", "Backups", Backups], ["settings", "Settings", Settings],
];
/** On phones there is room for these; the others are behind "More". */
const inBar = ["home", "tables", "access", "users"];

function App() {
  const [me, setMe] = useState();
  const [fault, setFault] = useState();
  const load = async () => {
    try { setMe(await read("/me")); setFault(); } catch (error) { setMe(null); if (error.code !== "SIGNED_OUT") setFault(error); }
  };
  useEffect(() => {
    const enter = async (token) => {
      // The address must not keep what enters.
      history.replaceState(null, "", location.pathname + "#/home");
      try { await send("/enter", { token }); } catch (error) { setFault(error); return setMe(null); }
      await load();
    };
    const token = location.hash.match(/^#enter=([0-9a-f]+)$/)?.[1];
    if (token) enter(token); else load();
    const again = () => {
      const token = location.hash.match(/^#enter=([0-9a-f]+)$/)?.[1];
      if (token) enter(token);
    };
    addEventListener("hashchange", again);
    const off = on("signedOut", () => setMe((me) => { if (me) setFault({ message: "Your session has ended." }); return null; }));
    return () => { removeEventListener("hashchange", again); off(); };
  }, []);
  if (me === undefined) return html`<div class="full"><${Spinner} /></div>`;
  if (me === null) return html`<${SignIn} fault=${fault} onDone=${load} />`;
  return html`<${Shell} me=${me} onSignOut=${() => { setFault(); setMe(null); }} />`;
}

function SignIn({ fault, onDone }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [error, setError] = useState(fault);
  const [busy, setBusy] = useState(false);
  useEffect(() => setError(fault), [fault]);
  const enter = async (event) => {
    event.preventDefault();
    setBusy(true);
    try { await send("/sign-in", { name, password }); await onDone(); } catch (error) { setError(error); }
    setBusy(false);
  };
  return html`<main class="full"><form class="card sign-in" onSubmit=${enter}>
    <div class="brand"><${Mark} size=${32} /><h1>Swiftlet Console</h1></div>
    <${Fault} error=${error} />
    <${Field} label="Name"><input autofocus autocomplete="username" value=${name} onInput=${(event) => setName(event.target.value)} /><//>
    <${Field} label="Password"><input type="password" autocomplete="current-password" value=${password} onInput=${(event) => setPassword(event.target.value)} /><//>
    <button class="button primary wide" disabled=${busy || !name || !password}>Sign in</button>
    <p class="hint">No account here yet? Whoever has the database makes a link that enters once: <code>swiftlet console</code></p>
  </form></main>`;
}

function Shell({ me, onSignOut }) {
  const route = useRoute();
  const [finding, setFinding] = useState(false);
  const [more, setMore] = useState(false);
  const [reached, setReached] = useState(true);
  const main = useRef();
  const area = areas.find(([key]) => key === route.parts[0]) || areas[0];
  useEffect(() => { document.title = `${area[1]} · Console`; setMore(false); }, [area[0]]);
  useEffect(() => {
    const key = (event) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") { event.preventDefault(); setFinding(true); }
    };
    addEventListener("keydown", key);
    const off = on("reach", setReached);
    return () => { removeEventListener("keydown", key); off(); };
  }, []);
  // A server that restarts is noticed, and the page goes on.
  useEffect(() => {
    if (reached) return;
    const timer = setInterval(() => readByItself("/me").then(() => dispatchEvent(new HashChangeEvent("hashchange")), () => {}), 1000);
    return () => clearInterval(timer);
  }, [reached]);
  const signOut = async () => { await send("/sign-out").catch(() => {}); onSignOut(); };
  const Page = area[2];
  const entry = ([key, text]) => html`<a key=${key} href=${link([key])} class=${classes("place", key === area[0] && "on")}
    aria-current=${key === area[0] ? "page" : undefined}><${Icon} name=${key} size=${20} /><span>${text}</span></a>`;
  return html`
    <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); main.current.focus(); }}>Skip to the page</a>
    <nav class="rail" aria-label="Areas">
      <a class="brand" href="#/home" aria-label="Swiftlet Console"><${Mark} /><span>Swiftlet</span></a>
      <button type="button" class="finder" onClick=${() => setFinding(true)}><${Icon} name="search" size=${16} /><span>Jump to</span><kbd>Ctrl K</kbd></button>
      <div class="places">${areas.map(entry)}</div>
      <div class="who"><div class="who-name"><strong>${me.name === "link" ? "By link" : me.name}</strong><span class="dim">${me.readOnly ? "read-only" : me.role}</span></div>
        <${Button} kind="ghost" icon="out" label="Sign out" onClick=${signOut} /></div>
    </nav>
    <nav class="bar" aria-label="Areas">
      ${areas.filter(([key]) => inBar.includes(key)).map(entry)}
      <button type="button" class=${classes("place", !inBar.includes(area[0]) && "on")} onClick=${() => setMore(true)}><${Icon} name="more" size=${20} /><span>More</span></button>
    </nav>
    ${more && html`<${Sheet} title="More" onClose=${() => setMore(false)}><div class="more">
      ${areas.filter(([key]) => !inBar.includes(key)).map(entry)}
      <button type="button" class="place" onClick=${() => { setMore(false); setFinding(true); }}><${Icon} name="search" size=${20} /><span>Jump to …</span></button>
      <button type="button" class="place" onClick=${signOut}><${Icon} name="out" size=${20} /><span>Sign out</span></button></div><//>`}
    <main id="main" class=${"page page-" + area[0]} tabindex="-1" ref=${main}>
      ${!reached && html`<div class="banner" role="alert"><${Icon} name="warning" />The server does not answer. Trying again …</div>`}
      <${Page} key=${area[0]} me=${me} route=${route} />
    </main>
    ${finding && html`<${Finder} onClose=${() => setFinding(false)} />`}
    <${Messages} />`;
}

/** Any area, table, user, job or request, by a few letters. */
function Finder({ onClose }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const tables = useData("/tables");
  const wanted = text.trim();
  const users = useData(wanted.length >= 2 ? `/users?search=${encodeURIComponent(wanted)}` : null);
  const found = useMemo(() => {
    const lower = wanted.toLowerCase();
    const all = [
      ...areas.map(([key, name]) => ({ icon: key, name, kind: "area", to: [key] })),
      ...(tables.data || []).map((table) => ({ icon: "tables", name: table.name, kind: table.schema, to: ["tables", table.schema, table.name] })),
    ].filter((each) => !lower || each.name.toLowerCase().includes(lower));
    all.sort((a, b) => b.name.toLowerCase().startsWith(lower) - a.name.toLowerCase().startsWith(lower));
    for (const user of (wanted && users.data) || []) all.push({ icon: "users", name: user.email || user.phone || user.id, kind: "user", to: ["users", user.id] });
    if (/^[0-9]+$/.test(wanted)) all.push({ icon: "jobs", name: `Job ${wanted}`, kind: "job", to: ["jobs"], query: { id: wanted } });
    // A number of a request may be any text, but not before it is known what else is meant.
    if (/^[0-9a-f-]{16,}$/i.test(wanted) || (wanted.length >= 8 && tables.data)) all.push({ icon: "logs", name: wanted, kind: "request in the logs", to: ["logs"], query: { id: wanted } });
    return all.slice(0, 12);
  }, [wanted, tables.data, users.data]);
  const choose = (each) => { if (!each) return; onClose(); go(each.to, each.query); };
  const key = (event) => {
    if (event.key === "ArrowDown") { event.preventDefault(); setAt(Math.min(at + 1, found.length - 1)); }
    if (event.key === "ArrowUp") { event.preventDefault(); setAt(Math.max(at - 1, 0)); }
    if (event.key === "Enter") { event.preventDefault(); choose(found[at]); }
    if (event.key === "Escape") onClose();
  };
  const input = useRef();
  useEffect(() => { const before = document.activeElement; input.current.focus(); return () => before?.focus?.(); }, []);
  return html`<div class="scrim center" onClick=${(event) => event.target === event.currentTarget && onClose()}>
    <div class="finder-box" role="dialog" aria-modal="true" aria-label="Jump to" onKeyDown=${key}>
      <div class="search big"><${Icon} name="search" /><input ref=${input} value=${text} placeholder="Table, user, area, request id …" aria-label="Jump to"
        role="combobox" aria-expanded="true" aria-controls="found" aria-activedescendant=${"found-" + at} onInput=${(event) => { setText(event.target.value); setAt(0); }} /></div>
      <ul id="found" role="listbox" aria-label="Found">${found.map((each, index) => html`
        <li id=${"found-" + index} role="option" aria-selected=${index === at} class=${index === at && "on"} onMouseMove=${() => setAt(index)} onClick=${() => choose(each)}>
          <${Icon} name=${each.icon} /><span>${each.name}</span><span class="dim">${each.kind}</span></li>`)}
        ${!found.length && html`<li class="dim none">Nothing has such a name.</li>`}</ul>
    </div></div>`;
}

render(html`<${App} />`, document.getElementById("app"));
