// Who sees and changes which rows, and why.
import { html, useState, useEffect, useMemo, useData, send, link, go, many, classes } from "./base.js";
import { words } from "./tables.js";
import { Icon, Button, Head, Fault, Empty, Select, Search, Tag, Tabs, Spinner, Sheet, Code, Field, Tree, say } from "./parts.js";

export function Access({ me, route }) {
  const [, schema, table] = route.parts;
  return schema === "matrix" || (!schema && route.query.tab === "matrix") ? html`<${Matrix} />` : html`<${Tester} me=${me} schema=${schema} table=${table} query=${route.query} />`;
}

const kinds = [["account", "An account"], ["anon", "Anonymous"], ["service", "Service key"], ["device", "A device"], ["claims", "Claims by hand"]];
const example = '{\n  "role": "authenticated",\n  "sub": "00000000-0000-0000-0000-000000000000",\n  "aal": "aal2"\n}';

function Tester({ me, schema, table, query }) {
  const tables = useData("/tables");
  const [kind, setKind] = useState(query.as || "account");
  const [account, setAccount] = useState(query.who || "");
  const [claims, setClaims] = useState(example);
  const [tries, setTries] = useState(false);
  const [insert, setInsert] = useState(null);
  const [error, setError] = useState();
  const [answer, setAnswer] = useState();
  const [busy, setBusy] = useState(false);
  const [open, setOpen] = useState();
  const own = (tables.data || []).filter((each) => !["auth", "swiftlet", "realtime"].includes(each.schema));
  const who = (kind, account) => kind === "claims" ? { kind, claims: JSON.parse(claims) } : kind === "account" || kind === "device" ? { kind, account } : { kind };
  // Those that the table was looked at with.
  const filters = useMemo(() => { try { return JSON.parse(query.f || "[]"); } catch { return []; } }, [query.f]);
  const run = async (event, as = kind, name = account) => {
    event?.preventDefault();
    setError();
    setBusy(true);
    try {
      let person;
      try { person = who(as, name); } catch { throw { message: "The claims are no JSON object." }; }
      let row;
      if (insert) try { row = JSON.parse(insert); } catch { throw { message: "The row to insert is no JSON object." }; }
      setAnswer(await send("/access", { who: person, schema, table, limit: 100, try: tries, insert: row, filters }));
    } catch (error) { setError(error); setAnswer(); }
    setBusy(false);
  };
  // The address says who, also when it changes under the page.
  useEffect(() => {
    const [as, name] = [query.as || kind, query.who || account];
    setKind(as);
    setAccount(name);
    setAnswer();
    setError();
    if (schema && table && (name || !["account", "device"].includes(as))) run(undefined, as, name);
  }, [schema, table, query.who, query.as, query.f]);
  return html`
    <${Head} title="Access" sub="Who sees, changes and deletes which rows, and which grant or policy decides."><a class="button" href=${link(["access"], { tab: "matrix" })}>All tables<//><//>
    <form class="card ask" onSubmit=${run}>
      <${Field} label="Who"><${Select} value=${kind} options=${kinds} onChange=${setKind} /><//>
      ${kind === "account" && html`<${Field} label="Account"><${Accounts} value=${account} onChange=${setAccount} /><//>`}
      ${kind === "device" && html`<${Field} label="Device's id"><input value=${account} onInput=${(event) => setAccount(event.target.value)} /><//>`}
      <${Field} label="Table"><select value=${schema && table ? `${schema}.${table}` : ""} onChange=${(event) => { const each = own.find((each) => `${each.schema}.${each.name}` === event.target.value); if (each) go(["access", each.schema, each.name], { who: account, as: kind }); }}>
        <option value="" disabled selected=${!table}>Choose …</option>
        ${own.map((each) => { const name = `${each.schema}.${each.name}`; return html`<option value=${name} selected=${name === `${schema}.${table}`}>${each.schema === "public" ? each.name : name}</option>`; })}</select><//>
      <div class="ask-more">
        <label class="check"><input type="checkbox" checked=${tries} onChange=${(event) => setTries(event.target.checked)} /><span>Try changes, and roll back</span></label>
        <button class="button primary" disabled=${busy || !table || (["account", "device"].includes(kind) && !account)}><${Icon} name="access" /><span>${busy ? "Asking …" : "Ask"}</span></button>
      </div>
      ${kind === "claims" && html`<div class="whole"><${Field} label="Claims of the token, as JSON"><textarea rows="6" value=${claims} onInput=${(event) => setClaims(event.target.value)}></textarea><//></div>`}
      ${tries && answer?.triggers?.length > 0 && html`<p class="whole note warn"><${Icon} name="warning" />These triggers run: ${answer.triggers.join(", ")}. Sequences and what a trigger does outside of the database are not rolled back.</p>`}
      ${insert !== null && html`<div class="whole"><${Field} label="A row to insert, as JSON: nothing is written"><textarea rows="4" value=${insert} onInput=${(event) => setInsert(event.target.value)}></textarea><//></div>`}
      ${table && insert === null && html`<div class="whole"><${Button} kind="small" icon="plus" onClick=${() => setInsert('{\n  "tenant_id": "nordlicht"\n}')}>And if they insert …<//></div>`}
    </form>
    ${table && filters.length > 0 && html`<p class="note"><${Icon} name="filter" /><span class="grow">Only rows where ${filters.map(({ column, op, value }) => `${column} ${words[op] || op}${value === null ? "" : ` ${JSON.stringify(value)}`}`).join(" and ")}.</span>
      <${Button} kind="small" onClick=${() => go(["access", schema, table], { who: query.who, as: query.as })}>All rows<//></p>`}
    <${Fault} error=${error} />
    ${answer ? html`<${Verdict} me=${me} answer=${answer} schema=${schema} table=${table} who=${kind === "account" || kind === "device" ? account : kind} kind=${kind} onOpen=${setOpen} />`
      : !error && html`<${Empty} icon="access" title=${busy ? "Asking …" : "Ask who sees what"}>Every verdict about seeing is the real query, rolled back; the sentence beside it is each policy's own expression, evaluated on the row.<//>`}
    ${open && html`<${RowReasons} row=${open} answer=${answer} onClose=${() => setOpen()} keep=${(action, cell) => keepCheck(me, { who: person(kind, account, answer), schema, table, action, key: JSON.parse(open.key), expect: result(cell) })} />`}`;
}

const person = (kind, account, answer) => kind === "account" || kind === "device" ? { kind, account } : kind === "claims" ? { kind, claims: answer.claims } : { kind };

/** Into access.json beside the server, where it was started by hand; else the line is copied. */
async function keepCheck(me, line) {
  if (me.keepsChecks) try {
    const kept = await send("/access/checks", line);
    return say(`Kept in ${kept.file}, ${many(kept.count, "check")} in all. swiftlet access check runs them.`);
  } catch (error) { return say(error.message, "bad"); }
  try { await navigator.clipboard.writeText(JSON.stringify(line)); say("Copied. Add the line to access.json; swiftlet access check runs it."); } catch { say("The browser does not let us copy.", "bad"); }
}

function Accounts({ value, onChange }) {
  const users = useData(`/users?search=${encodeURIComponent(value)}`);
  return html`<input list="accounts" value=${value} placeholder="address or id" onInput=${(event) => onChange(event.target.value)} />
    <datalist id="accounts">${(users.data || []).slice(0, 20).map((user) => html`<option value=${user.email || user.id} />`)}</datalist>`;
}

const actions = [["select", "See", "eye"], ["update", "Update", "pen"], ["delete", "Delete", "trash"]];
/** For the same reason as it is not seen: that is said once. */
const isSame = (row, action) => action !== "select" && !result(row.actions[action]) && reason(row.actions[action]) === reason(row.actions.select);
/** Where there is little room, the key is enough. */
const beside = ["", "hide-small", "hide-middle"];
const reason = (cell) => cell.text.replace(/^(hidden|refused): /, "");
const result = (cell) => cell.verdict ?? cell.allowed;

function Verdict({ me, answer, schema, table, who, kind, onOpen }) {
  // The key, what the policies look at, then the rest.
  const told = answer.columns.map((name, index) => [index, answer.key.includes(name) ? 0 : answer.policies.some((policy) => `${policy.using} ${policy.check}`.match(new RegExp(`\\b${name}\\b`))) ? 1 : /^(name|title|email|number|label)$/.test(name) ? 2 : 3]).sort((a, b) => a[1] - b[1] || a[0] - b[0]).slice(0, 3).map(([index]) => index);
  const differs = answer.rows.filter((row) => actions.some(([action]) => row.actions[action].differs)).length;
  const [shown, setShown] = useState("all");
  const isSeen = (row) => result(row.actions.select);
  const hidden = answer.rows.filter((row) => !isSeen(row)), visible = answer.rows.filter(isSeen);
  const rows = shown === "hidden" ? hidden : shown === "seen" ? visible : [...hidden, ...visible];
  const asksFunctions = answer.rows.some((row) => row.functions.length);
  const keep = () => keepCheck(me, { who: person(kind, who, answer), schema, table, expect: { seen: answer.seen, of: answer.of } });
  return html`<section class="stack">
    <div class="row verdict-head"><h2>${answer.seen ?? "?"} of ${answer.cut ? "the first " : ""}${many(answer.of, "row")} seen</h2><${Tag} kind="info">role ${answer.role}<//>
      ${answer.bypasses && html`<${Tag} kind="warn">passes all policies by</${Tag}>`}
      ${!answer.active && !answer.bypasses && html`<${Tag} kind="warn">no row level security<//>`}
      ${differs > 0 && html`<${Tag} kind="bad">${differs} cannot be explained<//>`}
      <span class="grow"></span><${Button} kind="small" icon="check" onClick=${keep}>Keep as a check<//></div>
    ${answer.insert && html`<p class=${classes("note", !result(answer.insert) && "warn")}><${Icon} name=${result(answer.insert) ? "check" : "warning"} />Inserting: ${answer.insert.text}</p>`}
    ${answer.rows.length > 0 && html`<${Tabs} label="Rows" value=${shown} onChange=${setShown} tabs=${[["all", "All", answer.rows.length], ["hidden", "Hidden", hidden.length], ["seen", "Seen", visible.length]]} />`}
    <div class="list-box"><table class="list matrix"><thead><tr>${told.map((index, place) => html`<th class=${beside[place]}>${answer.columns[index]}</th>`)}${actions.map(([, name]) => html`<th>${name}</th>`)}${asksFunctions && html`<th>Functions</th>`}</tr></thead>
      <tbody>${rows.map((row) => html`<tr key=${row.key} class="to" onClick=${() => onOpen(row)}>
        ${told.map((index, place) => html`<td class=${classes("matrix-cell", beside[place])}>${place === 0 ? html`<button type="button" class="plain-button">${brief(row.cells[index])}</button>` : brief(row.cells[index])}</td>`)}
        ${actions.map(([action, , icon]) => { const cell = row.actions[action]; const yes = result(cell);
          return html`<td><span class=${classes("verdict", cell.differs ? "warn" : yes ? "good" : "bad", isSame(row, action) && "same")}><${Icon} name=${yes ? "check" : "close"} size=${16} /><span title=${cell.text}>${isSame(row, action) ? "refused: as it is hidden" : cell.text}</span></span></td>`; })}
        ${asksFunctions && html`<td>${row.functions.map((each) => html`<span class=${classes("verdict", each.allowed ? "good" : "bad")}><${Icon} name=${each.allowed ? "check" : "close"} size=${16} /><span>${each.text}</span></span>`)}</td>`}
      </tr>`)}${!answer.rows.length && html`<tr><td colspan="7"><${Empty} icon="tables" title="The table is empty">There is no row to ask about. Try “And if they insert …”.<//></td></tr>`}</tbody></table></div>
    <div class="pair">
      <section class="card"><h2>Grants to ${answer.role}</h2><p class="chips">${Object.entries(answer.grants).map(([action, yes]) => html`<${Tag} kind=${yes ? "good" : "bad"}>${action.toUpperCase()} ${yes ? "granted" : "not granted"}<//>`)}</p>
        <h2 class="later">Claims</h2><${Tree} value=${answer.claims} /></section>
      <section class="card"><h2>Policies that apply</h2>${answer.policies.length ? answer.policies.map((policy) => html`<div class="policy"><div class="row"><strong>${policy.name}</strong>
        <${Tag}>${policy.command}<//>${!policy.permissive && html`<${Tag} kind="warn">restrictive<//>`}</div>
        ${policy.using && html`<${Code} block=${false} label="USING">${"USING " + policy.using}<//>`}${policy.check && policy.check !== policy.using && html`<${Code} block=${false} label="WITH CHECK">${"WITH CHECK " + policy.check}<//>`}</div>`)
        : html`<p class="dim">None.</p>`}</section>
      ${answer.routes.length > 0 && html`<section class="card wide-card"><h2>Functions that read or write this table</h2><p class="dim">They pass by the policies and have a scope of their own.</p><ul class="routes">${answer.routes.map((route) => html`<li><b class=${"method " + route.method.toLowerCase()}>${route.method}</b><code>${route.path}</code><span class="dim">${route.scope ? `scope ${route.scope}` : "no scope"}, for ${route.access}</span></li>`)}</ul></section>`}
    </div></section>`;
}

const brief = (value) => value === null ? html`<span class="cell-null">null</span>` : value.length > 60 ? value.slice(0, 60) + "…" : value;

function RowReasons({ row, answer, keep, onClose }) {
  return html`<${Sheet} title="Why" sub=${row.key} onClose=${onClose} wide>
    ${actions.map(([action, name]) => { const cell = row.actions[action]; return html`<section><div class="row"><h3 class="grow">${name}</h3><${Button} kind="small ghost" icon="check" onClick=${() => keep(action, cell)}>Keep as a check<//></div>
      <p class=${classes("verdict", result(cell) ? "good" : "bad")}><${Icon} name=${result(cell) ? "check" : "close"} /><span>${cell.text}</span></p>
      ${cell.said && html`<p class="dim">PostgreSQL says: ${cell.said}</p>`}${cell.differs && html`<p class="note warn">The policies' expressions say “${cell.allowed ? "allowed" : "refused"}”, the real query says “${cell.verdict ? "allowed" : "refused"}”.</p>`}</section>`; })}
    ${row.functions.length > 0 && html`<section class="stack"><h3>By functions</h3>${row.functions.map((each) => html`<p class=${classes("verdict", each.allowed ? "good" : "bad")}><${Icon} name=${each.allowed ? "check" : "close"} /><span>${each.text}</span></p>`)}</section>`}
    <section class="stack"><h3>Each policy on this row</h3>${answer.policies.map((policy, index) => html`<div class="policy"><div class="row"><strong>${policy.name}</strong><${Tag}>${policy.command}<//>
      <${Tag} kind=${row.policies[index] === true ? "good" : row.policies[index] === false ? "bad" : ""}>${row.policies[index] === null ? "not evaluated" : String(row.policies[index])}<//></div>${policy.using && html`<${Code} block=${false} label="USING">${policy.using}<//>`}</div>`)}</section>
    <section class="stack"><h3>The row</h3><div class="list-box"><table class="list"><tbody>${answer.columns.map((name, index) => html`<tr><td class="dim">${name}</td><td>${brief(row.cells[index])}</td></tr>`)}</tbody></table></div></section>
  <//>`;
}

/** What each role may do with each table. */
function Matrix() {
  const matrix = useData("/access/matrix");
  const [search, setSearch] = useState("");
  const roles = ["anon", "authenticated", "service_role"];
  const tables = useMemo(() => {
    const tables = new Map();
    for (const each of matrix.data || []) {
      const key = `${each.schema}.${each.name}`;
      if (!tables.has(key)) tables.set(key, { schema: each.schema, name: each.name, rls: each.rls, roles: {} });
      tables.get(key).roles[each.role] = each;
    }
    return [...tables.values()].filter((table) => table.name.includes(search));
  }, [matrix.data, search]);
  const letters = [["select", "S"], ["insert", "I"], ["update", "U"], ["delete", "D"]];
  const state = (role, action, rls) => {
    if (!role?.[action]) return ["", "no grant"];
    if (!rls) return ["warn", "all rows: no row level security"];
    if (role.bypasses) return ["info", "all rows: the role passes policies by"];
    const some = role.policies.some((policy) => policy.permissive && (policy.command === "all" || policy.command === action));
    return some ? ["good", "rows that a policy allows"] : ["bad", "granted, but no policy allows any row"];
  };
  return html`
    <${Head} back="#/access" title="All tables" sub="Grants and policies by role. Orange: everybody with that role reaches every row."><${Search} value=${search} onInput=${setSearch} label="Find a table" /><//>
    <${Fault} error=${matrix.error} />
    ${!matrix.data ? html`<${Spinner} />` : html`<div class="list-box"><table class="list"><thead><tr><th>Table</th>${roles.map((role) => html`<th>${role}</th>`)}<th>Policies</th></tr></thead>
      <tbody>${tables.map((table) => html`<tr><td><a href=${link(["access", table.schema, table.name])}>${table.name}</a>${table.schema !== "public" && html`<span class="dim"> ${table.schema}</span>`}</td>
        ${roles.map((role) => html`<td class="nowrap"><span class="letters">${letters.map(([action, letter]) => { const [kind, words] = state(table.roles[role], action, table.rls); return html`<span class=${"letter " + kind} title=${`${action}: ${words}`}>${kind ? letter : "·"}</span>`; })}</span></td>`)}
        <td class="dim">${(table.roles.authenticated?.policies || []).map((policy) => policy.name).join(", ") || (table.rls ? "none" : "row level security is off")}</td></tr>`)}</tbody></table></div>
      <p class="dim">S I U D: select, insert, update, delete. ${html`<span class="letter good">S</span>`} by policy, ${html`<span class="letter info">S</span>`} all rows, by role, ${html`<span class="letter warn">S</span>`} all rows, no policy needed, ${html`<span class="letter bad">S</span>`} granted, but no policy lets any through.</p>`}`;
}
