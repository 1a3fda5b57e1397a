// Accounts: find, make, ban, sign out, act as.
import { html, useState, useData, send, link, go, time, ago, many } from "./base.js";
import { Icon, Button, Head, Fault, Empty, Search, Tag, Spinner, Sheet, Field, Confirm, Tree, say, Code } from "./parts.js";

export function Users({ me, route }) {
  const [search, setSearch] = useState(route.query.search || "");
  const users = useData(`/users?search=${encodeURIComponent(search)}`);
  const [making, setMaking] = useState(false);
  const id = route.parts[1];
  const change = (text) => { setSearch(text); go(["users"], { search: text }, { replace: true }); };
  return html`
    <${Head} title="Users" sub="Those who sign in through /auth/v1.">
      <div class="find"><${Search} value=${search} onInput=${change} label="Address, phone or id" /></div>
      ${me.role !== "viewer" && html`<${Button} kind="primary" icon="plus" onClick=${() => setMaking(true)}>New user<//>`}
    <//>
    <${Fault} error=${users.error} />
    ${!users.data ? users.loading && html`<${Spinner} />` : !users.data.length
      ? html`<${Empty} icon="users" title=${search ? "Nobody has that address" : "No users yet"}>${search ? "A part of an address, four digits of a phone number or an id finds an account." : "The first one who signs up appears here."}<//>`
      : html`<div class="list-box"><table class="list"><thead><tr><th>User</th><th>State</th><th class="hide-small">Created</th><th class="hide-small">Last sign-in</th></tr></thead>
        <tbody>${users.data.map((user) => html`<tr key=${user.id} class="to" onClick=${() => go(["users", user.id], { search })}>
          <td><a class="plain-button" href=${link(["users", user.id], { search })}>${user.email || user.phone || (user.anonymous ? "Anonymous" : user.id)}</a>
            <div class="dim">${[user.app_metadata?.tenant_id, user.app_metadata?.role_level && `level ${user.app_metadata.role_level}`].filter(Boolean).join(" · ") || " "}</div></td>
          <td><${State} user=${user} /></td><td class="hide-small dim nowrap" title=${time(user.created_at)}>${ago(user.created_at)}</td><td class="hide-small dim nowrap" title=${time(user.last_sign_in_at)}>${ago(user.last_sign_in_at)}</td></tr>`)}</tbody></table></div>
        ${users.data.length === 100 && html`<p class="dim">The newest 100. Search to find others.</p>`}`}
    ${id && html`<${User} me=${me} id=${id} onClose=${() => go(["users"], { search })} onChanged=${users.reload} />`}
    ${making && html`<${NewUser} onClose=${() => setMaking(false)} onDone=${() => { setMaking(false); users.reload(); }} />`}`;
}

const State = ({ user }) => user.banned ? html`<${Tag} kind="bad">banned<//>` : user.anonymous ? html`<${Tag} kind="info">anonymous<//>` : user.confirmed ? html`<${Tag} kind="good">active<//>` : html`<${Tag} kind="warn">not confirmed<//>`;

function NewUser({ onClose, onDone }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [error, setError] = useState();
  const make = async (event) => {
    event?.preventDefault();
    setError();
    try { await send("/users/change", { action: "create", [name.includes("@") ? "email" : "phone"]: name, password: password || undefined }); say(`${name} can sign in.`); onDone(); } catch (error) { setError(error); }
  };
  return html`<${Sheet} title="New user" onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" disabled=${!name} onClick=${make}>Create user<//>`}>
    <form class="stack" onSubmit=${make}><${Fault} error=${error} />
      <${Field} label="Address or phone number" hint="A number with its country's code."><input autocomplete="off" value=${name} onInput=${(event) => setName(event.target.value)} /><//>
      <${Field} label="Password" hint="Without one they sign in by a mailed link or a texted code."><input type="password" autocomplete="new-password" value=${password} onInput=${(event) => setPassword(event.target.value)} /><//><button hidden></button></form><//>`;
}

function User({ me, id, onClose, onChanged }) {
  const found = useData(`/users?search=${encodeURIComponent(id)}`);
  const sessions = useData(`/users/${encodeURIComponent(id)}/sessions`);
  const [asking, setAsking] = useState();
  const [password, setPassword] = useState();
  const [ends, setEnds] = useState(true);
  const [error, setError] = useState();
  const user = found.data?.find((user) => user.id === id);
  const mayChange = me.role !== "viewer";
  const act = async (action, said, extra = {}) => {
    setError();
    try { await send("/users/change", { action, id, ...extra }); say(said); setAsking(); setPassword(); found.reload(); sessions.reload(); onChanged(); return true; } catch (error) { if (asking) throw error; setError(error); }
  };
  const name = user?.email || user?.phone || id;
  return html`<${Sheet} title=${name} sub=${id} onClose=${onClose}>
    <${Fault} error=${found.error || error} />
    ${!user ? found.loading ? html`<${Spinner} />` : html`<${Empty} icon="users" title="There is no such account" />` : html`
      <div class="row"><${State} user=${user} />${user.role && user.role !== "authenticated" && html`<${Tag}>${user.role}<//>`}</div>
      <dl class="pairs"><dt>Created</dt><dd>${time(user.created_at)}</dd><dt>Last sign-in</dt><dd>${user.last_sign_in_at ? time(user.last_sign_in_at) : "never"}</dd>${user.phone && html`<dt>Phone</dt><dd>${user.phone}</dd>`}</dl>
      ${mayChange && html`<div class="row">
        ${user.banned ? html`<${Button} onClick=${() => act("unban", "The ban is lifted.")}>Lift the ban<//>` : html`<${Button} kind="danger" icon="lock" onClick=${() => setAsking("ban")}>Ban<//>`}
        ${!user.confirmed && !user.anonymous && html`<${Button} icon="check" onClick=${() => act("confirm", "It counts as confirmed.", { phone: !user.email })}>${user.email ? "Confirm address" : "Confirm number"}<//>`}
        <${Button} icon="key" onClick=${() => setPassword("")}>Set password<//>
        ${user.email && html`<${Button} icon="link" onClick=${() => act("recover", "A link to set a password is on its way.")}>Mail a link<//>`}
        <${Button} icon="out" onClick=${() => setAsking("signout")}>Sign out everywhere<//>
        <${Button} kind="danger" icon="trash" onClick=${() => setAsking("delete")}>Delete<//></div>
        ${password !== undefined && html`<form class="card stack" onSubmit=${(event) => { event.preventDefault(); act("password", "The password is set.", { password, signOut: ends }); }}>
          <${Field} label="New password"><input type="password" autofocus autocomplete="new-password" value=${password} onInput=${(event) => setPassword(event.target.value)} /><//>
          <label class="check"><input type="checkbox" checked=${ends} onChange=${(event) => setEnds(event.target.checked)} /><span>End all sessions</span></label>
          <div class="row"><button class="button primary" disabled=${!password}>Set password</button><${Button} onClick=${() => setPassword()}>Cancel<//></div></form>`}`}
      <a class="button" href=${link(["access"], { who: user.email || user.id })}><${Icon} name="access" /><span>What does this user see?</span></a>
      <section class="stack"><h3>${sessions.data ? many(sessions.data.length, "session") : "Sessions"}</h3>
        ${sessions.data?.length > 0 && html`<div class="list-box"><table class="list"><tbody>${sessions.data.map((session) => html`<tr><td>${device(session.user_agent)}<div class="dim">${session.ip || "address unknown"} · ${session.aal || "aal1"}</div></td>
          <td class="dim nowrap" title=${time(session.created_at)}>${ago(session.updated_at || session.created_at)}</td>
          ${mayChange && html`<td><${Button} kind="small" icon="out" label="End this session" onClick=${() => act("end session", "The session has ended.", { session: session.id })} /></td>`}</tr>`)}</tbody></table></div>`}</section>
      <section class="stack"><h3>App metadata</h3><${Tree} value=${user.app_metadata || {}} /><h3>User metadata</h3><${Tree} value=${user.user_metadata || {}} /></section>
      ${me.role === "owner" && html`<${TokenFor} id=${id} />`}`}
    ${asking === "ban" && html`<${Confirm} title=${`Ban ${name}?`} confirm="Ban" onNo=${() => setAsking()} onYes=${() => act("ban", "Banned.")}><p>Signing in and refreshing are refused until the ban is lifted. Tokens that are out stay valid until they expire, within the hour.</p><//>`}
    ${asking === "signout" && html`<${Confirm} title=${`Sign ${name} out everywhere?`} confirm="Sign out" onNo=${() => setAsking()} onYes=${() => act("signout", "All sessions have ended.")}><p>${sessions.data ? many(sessions.data.length, "session") : "All sessions"} will end.</p><//>`}
    ${asking === "delete" && html`<${Confirm} title=${`Delete ${name}?`} confirm="Delete account" onNo=${() => setAsking()} onYes=${async () => { if (await act("delete", "The account is deleted.")) onClose(); }}><p>The account and its sessions are gone for good. Rows in the apps' tables that refer to it may keep it from being deleted.</p><//>`}
  <//>`;
}

function device(agent) {
  if (!agent) return "Unknown device";
  const system = /iPhone|iPad/.test(agent) ? "iOS" : /Android/.test(agent) ? "Android" : /Mac OS/.test(agent) ? "macOS" : /Windows/.test(agent) ? "Windows" : /Linux/.test(agent) ? "Linux" : "";
  const browser = /Edg\//.test(agent) ? "Edge" : /Chrome\//.test(agent) ? "Chrome" : /Firefox\//.test(agent) ? "Firefox" : /Safari\//.test(agent) ? "Safari" : agent.split(/[ /]/)[0];
  return [browser, system].filter(Boolean).join(" on ");
}

/** Acting as somebody: short, with a reason, in the audit. */
function TokenFor({ id }) {
  const [reason, setReason] = useState("");
  const [minutes, setMinutes] = useState("5");
  const [made, setMade] = useState();
  const [error, setError] = useState();
  const make = async (event) => {
    event.preventDefault();
    setError();
    try { setMade(await send("/users/token", { id, reason, minutes: Number(minutes) })); } catch (error) { setError(error); }
  };
  return html`<section class="card stack"><h3>A token to act as this user</h3><${Fault} error=${error} />
    ${made ? html`<${Code} label="Token">${made.token}<//><p class="dim">Valid for ${many(made.minutes, "minute")}, names you as actor, audit ${made.audit}.</p>`
      : html`<form class="stack" onSubmit=${make}><${Field} label="Why" hint="The reason stays in the audit."><input value=${reason} onInput=${(event) => setReason(event.target.value)} /><//>
        <div class="row"><select aria-label="Minutes" value=${minutes} onChange=${(event) => setMinutes(event.target.value)}>${["1", "5", "15"].map((each) => html`<option value=${each} selected=${each === minutes}>${each} min</option>`)}</select>
        <button class="button" disabled=${reason.trim().length < 3}>Make a token</button></div></form>`}</section>`;
}
