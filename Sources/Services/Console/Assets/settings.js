// Configuration, doctor, operators, audit.
import { html, useState, useData, send, go, time, ago } from "./base.js";
import { Button, Head, Fault, Empty, Search, Tag, Tabs, Spinner, Sheet, Field, Select, Confirm, Tree, Code, say } from "./parts.js";

const tabs = [["doctor", "Doctor"], ["configuration", "Configuration"], ["migrations", "Migrations"], ["operators", "Operators"], ["audit", "Audit"]];
const pages = { doctor: Doctor, configuration: Configuration, migrations: Migrations, operators: Operators, audit: Audit };

export function Settings({ me, route }) {
  const tab = pages[route.parts[1]] ? route.parts[1] : "doctor";
  const Page = pages[tab];
  return html`<${Head} title="Settings" sub="What this server runs with, and who may be here." />
    <${Tabs} label="Settings" value=${tab} tabs=${tabs} onChange=${(tab) => go(["settings", tab])} /><${Page} key=${tab} me=${me} />`;
}

function Doctor() {
  const settings = useData("/settings");
  const order = { fault: 0, note: 1, good: 2 };
  const findings = [...(settings.data?.findings || [])].sort((a, b) => order[a.grade] - order[b.grade]);
  return html`<${Fault} error=${settings.error} />${!settings.data ? html`<${Spinner} />` : html`<section class="card"><ul class="findings">
    ${findings.map((each) => html`<li><${Tag} kind=${{ fault: "bad", note: "warn", good: "good" }[each.grade]}>${each.grade === "good" ? "ok" : each.grade}<//><strong>${each.subject}</strong><span>${each.text}</span></li>`)}</ul></section>`}`;
}

function Configuration() {
  const settings = useData("/settings");
  const [search, setSearch] = useState("");
  const [all, setAll] = useState(false);
  const list = (settings.data?.configuration || []).filter((each) => (all || each.value !== null) && each.name.includes(search.toUpperCase()));
  return html`<div class="row tools"><div class="grow find-log"><${Search} value=${search} onInput=${setSearch} label="Find a setting" /></div><label class="check"><input type="checkbox" checked=${all} onChange=${(event) => setAll(event.target.checked)} /><span>Also what is not set</span></label></div>
    <${Fault} error=${settings.error} />
    ${!settings.data ? html`<${Spinner} />` : !list.length ? html`<${Empty} icon="settings" title="No such setting">Tick “Also what is not set” to see all of them.<//>` : html`<div class="list-box"><table class="list"><thead><tr><th>Setting</th><th>Value</th><th>Otherwise</th></tr></thead>
      <tbody>${list.map((each) => html`<tr><td><code>${each.name}</code></td><td>${each.value === null ? html`<span class="cell-null">not set</span>` : html`<code>${each.value}</code>`}</td><td class="dim">${each.standard ?? ""}</td></tr>`)}</tbody></table></div>`}`;
}

function Migrations() {
  const migrations = useData("/migrations");
  return html`<${Fault} error=${migrations.error} />${!migrations.data ? migrations.loading && html`<${Spinner} />` : !migrations.data.length ? html`<${Empty} icon="schema" title="Nothing was migrated yet">swiftlet migrate applies the files.<//>` : html`<div class="list-box"><table class="list"><thead><tr><th>Migration</th><th>Owner</th><th>Applied</th></tr></thead>
    <tbody>${migrations.data.map((each) => html`<tr><td>${each.name}</td><td class="dim">${each.owner}</td><td class="dim nowrap" title=${time(each.applied_at)}>${ago(each.applied_at)}</td></tr>`)}</tbody></table></div>`}`;
}

function Operators({ me }) {
  const data = useData("/operators");
  const [editing, setEditing] = useState();
  const [removing, setRemoving] = useState();
  const [error, setError] = useState();
  const act = async (body, said) => { setError(); try { await send("/operators", body); say(said); data.reload(); return true; } catch (error) { setError(error); throw error; } };
  const isOwner = me.role === "owner";
  return html`<${Fault} error=${data.error || error} />${!data.data ? html`<${Spinner} />` : html`
    <section class="stack"><div class="row"><h2 class="grow">Operators</h2>${isOwner && html`<${Button} kind="primary" icon="plus" onClick=${() => setEditing({ name: "", role: "viewer", password: "" })}>New operator<//>`}</div>
      ${data.data.operators.length ? html`<div class="list-box"><table class="list"><thead><tr><th>Name</th><th>Role</th><th class="hide-small">Since</th><th></th></tr></thead><tbody>
        ${data.data.operators.map((each) => html`<tr><td><strong>${each.name}</strong> ${each.locked && html`<${Tag} kind="bad">locked<//>`}</td><td class="nowrap">${each.role}</td><td class="dim hide-small">${ago(each.created_at)}</td>
          <td>${isOwner && html`<div class="row end"><${Button} kind="small" onClick=${() => setEditing({ ...each, password: "", isOld: true })}>Change<//><${Button} kind="small danger" onClick=${() => setRemoving(each.name)}>Remove<//></div>`}</td></tr>`)}</tbody></table></div>`
      : html`<section class="card"><p>There are none: everybody here has come by a link. <code>swiftlet console add ada@example.com --role editor</code> makes one, or the button above.</p></section>`}
      <p class="dim">Viewers read, with secrets masked. Editors change rows, jobs and users. Owners also write SQL, act as users, and decide who enters.</p></section>
    <section class="stack"><div class="row"><h2 class="grow">Sessions</h2><${Button} icon="out" onClick=${() => act({ action: "sign out everywhere" }, "Signed out everywhere.").catch(() => {})}>Sign me out everywhere<//></div>
      <div class="list-box"><table class="list"><tbody>${data.data.sessions.map((each) => html`<tr><td>${each.operator === "link" ? "By link" : each.operator} ${each.own && html`<${Tag} kind="info">this one<//>`}<div class="dim">${each.role} · ${each.address}</div></td><td class="dim nowrap" title=${time(each.seen_at)}>${ago(each.seen_at)}</td>
        <td>${isOwner && !each.own && html`<div class="row end"><${Button} kind="small" onClick=${() => act({ action: "end session", id: each.id }, "The session has ended.").catch(() => {})}>End<//></div>`}</td></tr>`)}</tbody></table></div></section>`}
    ${editing && html`<${EditOperator} value=${editing} onClose=${() => setEditing()} onSave=${(body) => act(body, "Saved.").then(() => setEditing())} />`}
    ${removing && html`<${Confirm} title=${`Remove ${removing}?`} confirm="Remove operator" onNo=${() => setRemoving()} onYes=${() => act({ action: "remove", name: removing }, "Removed.").then(() => setRemoving())}><p>Their sessions end at once.</p><//>`}`;
}

function EditOperator({ value, onClose, onSave }) {
  const [now, setNow] = useState(value);
  const [error, setError] = useState();
  const save = async (event) => { event?.preventDefault(); try { await onSave({ action: "set", name: now.name, role: now.role, password: now.password }); } catch (error) { setError(error); } };
  return html`<${Sheet} title=${value.isOld ? value.name : "New operator"} onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" disabled=${!now.name || (!value.isOld && !now.password)} onClick=${save}>Save<//>`}>
    <form class="stack" onSubmit=${save}><${Fault} error=${error} />
      ${!value.isOld && html`<${Field} label="Name" hint="Usually an address."><input autofocus autocomplete="off" value=${now.name} onInput=${(event) => setNow({ ...now, name: event.target.value })} /><//>`}
      <${Field} label="Role"><${Select} value=${now.role} options=${["viewer", "editor", "owner"]} onChange=${(role) => setNow({ ...now, role })} /><//>
      <${Field} label="Password" hint=${value.isOld ? "Leave it empty to keep the old one." : "At least twelve letters."}><input type="password" autocomplete="new-password" value=${now.password} onInput=${(event) => setNow({ ...now, password: event.target.value })} /><//>
      <p class="dim">Their sessions end.</p><button hidden></button></form><//>`;
}

function Audit() {
  const [before, setBefore] = useState("");
  const audit = useData("/audit" + (before && `?before=${before}`));
  const [open, setOpen] = useState();
  return html`<${Fault} error=${audit.error} />${!audit.data ? html`<${Spinner} />` : !audit.data.length ? html`<${Empty} icon="logs" title="Nothing was changed yet">Every change in the console leaves one entry here, which nobody can take away.<//>`
    : html`<div class="list-box"><table class="list"><thead><tr><th class="num">#</th><th>What</th><th>Who</th><th class="hide-small">When</th></tr></thead><tbody>
      ${audit.data.map((each) => html`<tr key=${each.id} class="to" onClick=${() => setOpen(each)}><td class="num dim">${each.id}</td><td><button type="button" class="plain-button">${each.action}</button> <span class="dim">${each.object}</span></td><td>${each.operator === "link" ? "By link" : each.operator}<div class="dim">${each.address}</div></td><td class="dim nowrap hide-small" title=${time(each.at)}>${ago(each.at)}</td></tr>`)}</tbody></table></div>
      <div class="row">${before && html`<${Button} icon="first" onClick=${() => setBefore("")}>Newest<//>`}${audit.data.length === 100 && html`<${Button} icon="right" onClick=${() => setBefore(String(audit.data[99].id))}>Older<//>`}</div>`}
    ${open && html`<${Sheet} title=${`${open.action} ${open.object || ""}`} sub=${`#${open.id} · ${time(open.at)}`} onClose=${() => setOpen()} wide>
      <dl class="pairs"><dt>Operator</dt><dd>${open.operator}</dd><dt>Address</dt><dd>${open.address}</dd><dt>Request</dt><dd><code>${open.request_id}</code></dd></dl>
      ${open.statement && html`<section class="stack"><h3>Statement</h3><${Code}>${open.statement}<//></section>`}
      ${open.before && html`<section class="stack"><h3>Before</h3><${Tree} value=${open.before} /></section>`}
      ${open.after && html`<section class="stack"><h3>After</h3><${Tree} value=${open.after} /></section>`}<//>`}`;
}
