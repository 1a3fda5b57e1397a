// The backups that there are, and how old the last good one is.
import { html, useState, useData, useTicks, time, ago, bytes, number } from "./base.js";
import { Icon, Head, Fault, Empty, Tag, Spinner, Sheet, Code } from "./parts.js";

export function Backups() {
  const backups = useData("/backups");
  const [open, setOpen] = useState();
  useTicks(30000, () => { if (backups.data && !backups.loading) backups.tick(); });
  const data = backups.data;
  const good = data?.entries?.find((each) => !each.damaged && !each.missing);
  return html`<${Head} title="Backups" sub=${data?.target ? `In ${data.target}.` : "Rows and files, elsewhere."} />
    <${Fault} error=${backups.error} />
    ${!data ? backups.loading && html`<${Spinner} />` : data.off ? html`<${Empty} icon="backups" title="No backups are made">Set <code>BACKUP_TO</code> to a folder on another disk, or to s3://bucket: then one is made each day, and this page says how old the last good one is. <code>swiftlet backup create</code> makes one now.<//>`
    : html`<div class="stats">
        <div class=${"card stat" + (data.tooOld ? " bad" : "")}><span class="stat-title"><${Icon} name=${data.tooOld ? "warning" : "check"} />The last good one</span><strong>${good ? ago(good.began) : "none"}</strong><span class="dim">${good ? time(good.began) : "nothing can be restored"}</span></div>
        <div class="card stat"><span class="stat-title"><${Icon} name="jobs" />Made</span><strong>${data.dailyAt ? `daily, ${data.dailyAt}` : "by hand"}</strong><span class="dim">${data.dailyAt ? "UTC, by one of the servers" : "BACKUP_DAILY_AT is off"}</span></div>
        <div class="card stat"><span class="stat-title"><${Icon} name="backups" />Kept</span><strong>${number(data.count)}</strong><span class="dim">${data.keep ? `for ${data.keep}` : "all of them"}</span></div></div>
      ${data.tooOld && html`<p class="note warn"><${Icon} name="warning" /><span>${good ? "The last good backup is older than a day." : "There is no good backup."} <code>swiftlet backup create</code> makes one now; the <a href="#/jobs?name=swiftlet-backup">job</a> says what went wrong.</span></p>`}
      ${!data.entries.length ? html`<${Empty} icon="backups" title="None yet">${data.dailyAt ? `The first is made at ${data.dailyAt} UTC.` : "swiftlet backup create makes one."}<//>` : html`<div class="list-box"><table class="list"><thead><tr><th>Begun</th><th>State</th><th class="num">Rows</th><th class="num">Files</th><th class="hide-small num">Took</th></tr></thead><tbody>
        ${data.entries.map((each) => html`<tr key=${each.id} class="to" onClick=${() => setOpen(each)}><td><button type="button" class="plain-button">${time(each.began)}</button><div class="dim">${ago(each.began)}</div></td>
          <td>${each.damaged ? html`<${Tag} kind="bad">damaged<//>` : each.missing ? html`<${Tag} kind="bad">${number(each.missing)} files missing<//>` : each.differing ? html`<${Tag} kind="warn">${number(each.differing)} differ<//>` : html`<${Tag} kind="good">whole<//>`}</td>
          <td class="num nowrap">${each.damaged ? "" : bytes(each.dumpBytes)}</td><td class="num nowrap">${each.damaged ? "" : bytes(each.fileBytes)}</td><td class="num dim hide-small nowrap">${each.damaged ? "" : `${each.seconds} s`}</td></tr>`)}</tbody></table></div>`}`}
    ${open && html`<${Sheet} title=${open.id} sub=${time(open.began)} onClose=${() => setOpen()}>
      ${open.damaged ? html`<p class="note warn"><${Icon} name="warning" />Its manifest cannot be read.</p>` : html`<dl class="pairs"><dt>Tables</dt><dd>${number(open.tables)}</dd><dt>Dump</dt><dd>${bytes(open.dumpBytes)}</dd><dt>Files</dt><dd>${number(open.files)}, ${bytes(open.fileBytes)}</dd><dt>New ones</dt><dd>${bytes(open.newBytes)}</dd><dt>Missing</dt><dd>${number(open.missing)}</dd><dt>Different</dt><dd>${number(open.differing)}</dd><dt>Took</dt><dd>${open.seconds} s</dd><dt>Made by</dt><dd>Swiftlet ${open.version}, PostgreSQL ${open.postgres}</dd></dl>`}
      <section class="stack"><h3>To look whether it can be restored</h3><${Code} label="Command">${`swiftlet backup verify ${open.id}`}<//></section>
      <section class="stack"><h3>To restore it, into an empty database</h3><${Code} label="Command">${`swiftlet backup restore ${open.id}`}<//></section><//>`}`;
}
