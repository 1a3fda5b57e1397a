// Devices that get push messages, what has become of messages, and a trial.
import { html, useState, useData, useTicks, send, link, go, time, ago, many, number } from "./base.js";
import { Icon, Button, Head, Fault, Empty, Tag, Tabs, Spinner, Sheet, Field, Select, Code, say } from "./parts.js";

const kinds = { sent: "good", failed: "bad", undeliverable: "bad", queued: "warn", scheduled: "info" };

export function Push({ me, route }) {
  const { tab = "devices", status = "" } = route.query;
  const push = useData(`/push?status=${encodeURIComponent(status)}`);
  const [trial, setTrial] = useState();
  const [open, setOpen] = useState();
  useTicks(4000, () => { if (push.data && !push.loading) push.tick(); });
  const { registrations, messages, sends } = push.data || {};
  const sum = (counts) => Object.values(counts || {}).reduce((total, count) => total + count, 0);
  const mayChange = me.role !== "viewer";
  const failed = (messages?.counts.failed || 0) + (messages?.counts.undeliverable || 0);
  return html`<${Head} title="Push" sub="Messages to phones, by Apple and Google.">${mayChange && html`<${Button} kind="primary" icon="push" disabled=${!sends} onClick=${() => setTrial({ platform: "ios", environment: "production", app: "", token: "" })}>Send a test<//>`}<//>
    <${Fault} error=${push.error} />
    ${push.data && !sends && html`<p class="note warn"><${Icon} name="warning" /><span>Nobody delivers messages here. Set PUSH=real with APNS_… or FCM_SERVICE_ACCOUNT_FILE, or PUSH=log to see them in the logs.</span></p>`}
    ${push.data && html`<${Tabs} label="Push" value=${tab} onChange=${(tab) => go(["push"], { tab })} tabs=${[["devices", "Devices", number(sum(registrations?.counts))], ["messages", "Messages", number(sum(messages?.counts))]]} />`}
    ${!push.data ? push.loading && html`<${Spinner} />` : tab === "messages" ? html`
      ${!messages || !sum(messages.counts) ? html`<${Empty} icon="push" title="No messages yet">${messages ? "Those that an app sends appear here, with what became of them." : html`No table has the columns of an outbox: id, title, body, status, attempts, last_error, created_at. Functions that send by <code>context.push</code> from a job show in <a href="#/jobs">Jobs</a>.`}<//>` : html`
      ${failed > 0 && !status && html`<p class="note warn"><${Icon} name="warning" /><span>${many(failed, "message")} did not arrive. <a href=${link(["push"], { tab, status: "failed" })}>Failed</a> ones say why.</span></p>`}
      <div class="row">${html`<${Select} aria-label="Status" value=${status} options=${[["", "All statuses"], ...Object.entries(messages.counts).map(([key, count]) => [key, `${key} (${number(count)})`])]} onChange=${(status) => go(["push"], { tab, status })} />`}<span class="grow"></span><a href=${link(["tables", "public", messages.table])}>All of ${messages.table}</a></div>
      ${!messages.rows.length ? html`<${Empty} icon="push" title=${`No message is ${status}`} />` : html`<div class="list-box"><table class="list"><thead><tr><th>Message</th><th>Status</th><th class="hide-small num">Attempts</th><th class="hide-small">When</th></tr></thead><tbody>
        ${messages.rows.map((each) => html`<tr key=${each.id} class="to" onClick=${() => setOpen(each)}><td><button type="button" class="plain-button">${each.title}</button><div class="dim clip">${each.body}</div>${each.last_error && html`<div class="bad-text">${each.last_error}</div>`}</td><td><${Tag} kind=${kinds[each.status]}>${each.status}<//></td><td class="num hide-small">${each.attempts}</td><td class="dim nowrap hide-small" title=${time(each.created_at)}>${ago(each.created_at)}</td></tr>`)}</tbody></table></div>`}`}`
    : !registrations || !registrations.rows.length ? html`<${Empty} icon="push" title="No device has registered">${registrations ? "The app does it after its user has allowed messages; the newest appear here." : "No table has the columns of a registration: token, platform, user_id, environment, app, registered_at."} A test can be sent to any token.<//>`
    : html`<div class="row"><span class="dim">${Object.entries(registrations.counts).map(([platform, count]) => `${number(count)} ${platform}`).join(", ")}</span><span class="grow"></span><a href=${link(["tables", "public", registrations.table])}>All of ${registrations.table}</a></div>
      <div class="list-box"><table class="list"><thead><tr><th>User</th><th>Device</th><th class="hide-small">App</th><th class="hide-small">Registered</th><th></th></tr></thead><tbody>
        ${registrations.rows.map((each) => html`<tr key=${each.label + each.registered_at}><td><a class="plain-button" href=${link(["users", each.user_id])}>${each.email || each.user_id}</a></td><td>${each.platform} ${each.environment === "sandbox" && html`<${Tag} kind="info">sandbox<//>`}<div class="dim cell-mono">${me.role === "viewer" ? "•••" : each.label + "…"}</div></td><td class="dim hide-small">${each.app}</td><td class="dim nowrap hide-small" title=${time(each.registered_at)}>${ago(each.registered_at)}</td>
          <td>${mayChange && sends && html`<div class="row end"><${Button} kind="small" onClick=${() => setTrial(each)}>Test<//></div>`}</td></tr>`)}</tbody></table></div>`}
    ${trial && html`<${Trial} value=${trial} onClose=${() => setTrial()} />`}
    ${open && html`<${Sheet} title=${open.title} sub=${open.id} onClose=${() => setOpen()}><div class="row"><${Tag} kind=${kinds[open.status]}>${open.status}<//></div><p>${open.body}</p>
      <dl class="pairs"><dt>Created</dt><dd>${time(open.created_at)}</dd><dt>Attempts</dt><dd>${open.attempts}</dd></dl>${open.last_error && html`<section class="stack"><h3>Last error</h3><${Code} label="Error">${open.last_error}<//></section>`}
      <a href=${link(["tables", "public", messages?.table ?? ""], { row: JSON.stringify([open.id]) })}>The whole row</a><//>`}`;
}

function Trial({ value, onClose }) {
  const [now, setNow] = useState({ token: value.token || "", platform: value.platform, environment: value.environment, app: value.app || "", title: "A test", body: "It works." });
  const [answer, setAnswer] = useState();
  const [error, setError] = useState();
  const [busy, setBusy] = useState(false);
  const set = (change) => setNow({ ...now, ...change });
  const run = async (event) => {
    event?.preventDefault();
    setBusy(true);
    setError();
    setAnswer();
    try { setAnswer(await send("/push/send", now)); } catch (error) { setError(error); }
    setBusy(false);
  };
  return html`<${Sheet} title="Send a test" sub=${value.email || ""} onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Close<//><${Button} kind="primary" icon="push" disabled=${busy || !now.token || !now.title} onClick=${run}>${busy ? "Sending …" : "Send now"}<//>`}>
    <form class="stack" onSubmit=${run}><${Fault} error=${error} />
      ${answer && html`<p class=${"note" + (answer.accepted ? "" : " warn")} role="status"><${Icon} name=${answer.accepted ? "check" : "warning"} /><span>${answer.answer} (audit ${answer.audit})</span></p>`}
      <${Field} label="Token" hint="What Apple or Google has given to the app."><input value=${now.token} autocomplete="off" onInput=${(event) => set({ token: event.target.value })} /><//>
      <div class="row"><${Select} aria-label="Platform" value=${now.platform} options=${["ios", "android"]} onChange=${(platform) => set({ platform })} />${now.platform === "ios" && html`<${Select} aria-label="Environment" value=${now.environment} options=${["production", "sandbox"]} onChange=${(environment) => set({ environment })} />`}</div>
      <${Field} label="App" hint="Its bundle id, if the server has several."><input value=${now.app} autocomplete="off" onInput=${(event) => set({ app: event.target.value })} /><//>
      <${Field} label="Title"><input value=${now.title} onInput=${(event) => set({ title: event.target.value })} /><//>
      <${Field} label="Text"><input value=${now.body} onInput=${(event) => set({ body: event.target.value })} /><//><button hidden></button></form><//>`;
}
