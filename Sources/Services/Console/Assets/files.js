// Buckets and what is in them, through /storage/v1.
import { html, useState, useEffect, useRef, useMemo, useData, send, link, go, time, ago, bytes, many, number, classes } from "./base.js";
import { Icon, Button, Head, Fault, Empty, Tag, Spinner, Sheet, Field, Confirm, Tree, say } from "./parts.js";

export function Files({ me, route }) {
  const buckets = useData("/files");
  const [, bucket, ...folders] = route.parts;
  const [making, setMaking] = useState(false);
  const mayChange = me.role !== "viewer";
  if (bucket) return html`<${Bucket} key=${bucket} me=${me} bucket=${bucket} known=${buckets.data?.find((each) => each.id === bucket)} folders=${folders} open=${route.query.file} onChanged=${buckets.reload} />`;
  return html`<${Head} title="Files" sub="Buckets of /storage/v1.">${mayChange && html`<${Button} kind="primary" icon="plus" onClick=${() => setMaking(true)}>New bucket<//>`}<//>
    <${Fault} error=${buckets.error} />
    ${!buckets.data ? buckets.loading && html`<${Spinner} />` : !buckets.data.length
      ? html`<${Empty} icon="files" title="No buckets yet">${mayChange ? "“New bucket” makes one; an app fills it by /storage/v1, and you by dropping files on it." : "An editor can make one, or an app by /storage/v1."}<//>`
      : html`<div class="list-box"><table class="list"><thead><tr><th>Bucket</th><th>Who reads</th><th class="num">Files</th><th class="num hide-small">Size</th><th class="hide-small">Created</th></tr></thead>
        <tbody>${buckets.data.map((each) => html`<tr key=${each.id} class="to" onClick=${() => go(["files", each.id])}><td><a class="plain-button" href=${link(["files", each.id])}>${each.name}</a></td>
          <td>${each.public ? html`<${Tag} kind="warn">everybody with the link<//>` : html`<${Tag} kind="good">by policies<//>`}</td><td class="num">${each.objects > 10000 ? "over 10,000" : number(each.objects)}</td><td class="num nowrap hide-small">${each.objects > 10000 ? "over " : ""}${bytes(Number(each.bytes))}</td><td class="dim nowrap hide-small" title=${time(each.created_at)}>${ago(each.created_at)}</td></tr>`)}</tbody></table></div>`}
    ${making && html`<${NewBucket} onClose=${() => setMaking(false)} onDone=${(name) => { setMaking(false); buckets.reload(); go(["files", name]); }} />`}`;
}

function NewBucket({ onClose, onDone }) {
  const [name, setName] = useState("");
  const [isPublic, setPublic] = useState(false);
  const [error, setError] = useState();
  const make = async (event) => {
    event?.preventDefault();
    setError();
    try { const answer = await send("/files/change", { action: "create bucket", bucket: name, public: isPublic }); say(`Made. Audit ${answer.audit}.`); onDone(name); } catch (error) { setError(error); }
  };
  return html`<${Sheet} title="New bucket" onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" disabled=${!name} onClick=${make}>Create bucket<//>`}>
    <form class="stack" onSubmit=${make}><${Fault} error=${error} />
      <${Field} label="Name"><input autofocus autocomplete="off" value=${name} onInput=${(event) => setName(event.target.value)} /><//>
      <label class="check"><input type="checkbox" checked=${isPublic} onChange=${(event) => setPublic(event.target.checked)} /><span>Everybody with the link reads its files</span></label>
      <p class="dim">Otherwise policies on storage.objects decide; without one only the service key does.</p><button hidden></button></form><//>`;
}

function Bucket({ me, bucket, known, folders, open, onChanged }) {
  const prefix = folders.length ? folders.join("/") + "/" : "";
  const [cursors, setCursors] = useState([""]);
  useEffect(() => setCursors([""]), [prefix]);
  const page = useData("/files/list", { bucket, prefix, cursor: cursors[cursors.length - 1] });
  const [asking, setAsking] = useState();
  const [sending, setSending] = useState([]);
  const [over, setOver] = useState(false);
  const [error, setError] = useState();
  const input = useRef();
  const mayChange = me.role !== "viewer";
  const reload = () => { page.reload(); onChanged(); };
  const act = async (action, more, said) => { const answer = await send("/files/change", { action, bucket, ...more }); say(`${said} Audit ${answer.audit}.`); setAsking(); reload(); };
  const upload = async (files) => {
    setError();
    for (const file of files) {
      if (file.size > me.maximumFileBytes) { setError({ message: `${file.name} has ${bytes(file.size)}; the server takes up to ${bytes(me.maximumFileBytes)} (MAX_FILE_BYTES).` }); continue; }
      setSending((all) => [...all, file.name]);
      try {
        const answer = await put(bucket, prefix + file.name, file, false).catch((error) => error.status === 409 || /exist/i.test(error.message) ? (setAsking({ kind: "replace", file, name: prefix + file.name }), null) : Promise.reject(error));
        if (answer) say(`${file.name} is stored. Audit ${answer.audit}.`);
      } catch (error) { setError(error); }
      setSending((all) => all.filter((each) => each !== file.name));
    }
    reload();
  };
  const drop = (event) => { event.preventDefault(); setOver(false); if (mayChange) upload([...event.dataTransfer.files]); };
  const objects = page.data?.objects || [], inner = page.data?.folders || [];
  const object = open && objects.find((each) => each.name === open);
  return html`<div class=${classes("drop", over && "over")} onDragOver=${(event) => { event.preventDefault(); if (mayChange) setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${drop}>
    <${Head} back="#/files" title=${bucket} sub=${known ? known.public ? "Everybody with the link reads its files." : "Policies on storage.objects decide who reads." : " "}>
      ${mayChange && html`<${Button} onClick=${() => setAsking({ kind: "public" })} disabled=${!known}>${known?.public ? "Make private" : "Make public"}<//>
        <${Button} kind="danger" icon="trash" label="Delete the bucket" onClick=${() => setAsking({ kind: "bucket" })} />
        <${Button} kind="primary" icon="upload" onClick=${() => input.current.click()}>Upload<//><input type="file" multiple hidden ref=${input} onChange=${(event) => { upload([...event.target.files]); event.target.value = ""; }} />`}<//>
    <nav class="crumbs" aria-label="Folders"><a href=${link(["files", bucket])}>${bucket}</a>${folders.map((name, index) => html`<span class="dim">/</span><a href=${link(["files", bucket, ...folders.slice(0, index + 1)])}>${name}</a>`)}</nav>
    <${Fault} error=${page.error || error} />
    ${sending.length > 0 && html`<p class="note" role="status"><${Spinner} />Storing ${sending.join(", ")} …</p>`}
    ${!page.data ? page.loading && html`<${Spinner} />` : !objects.length && !inner.length ? html`<${Empty} icon="files" title=${prefix ? "This folder is empty" : "This bucket is empty"}>${mayChange ? "Drop files here, or press “Upload”." : "Files appear here as soon as an app stores some."}<//>`
    : html`<div class="list-box"><table class="list"><thead><tr><th>Name</th><th class="hide-small">Type</th><th class="num">Size</th><th class="hide-small">Changed</th></tr></thead><tbody>
      ${inner.map((each) => { const name = each.name.replace(/\/$/, "").split("/").pop(); return html`<tr key=${"/" + each.name} class="to" onClick=${() => go(["files", bucket, ...folders, name])}><td><a class="plain-button file-name" href=${link(["files", bucket, ...folders, name])}><${Icon} name="folder" />${name}</a></td><td class="dim hide-small">folder</td><td></td><td class="hide-small"></td></tr>`; })}
      ${objects.map((each) => html`<tr key=${each.id} class="to" onClick=${() => go(["files", bucket, ...folders], { file: each.name })}><td><a class="plain-button file-name" href=${link(["files", bucket, ...folders], { file: each.name })}><${Icon} name="file" />${each.name.slice(prefix.length)}</a></td>
        <td class="dim hide-small">${each.metadata?.mimetype || ""}</td><td class="num nowrap">${each.metadata?.size === undefined ? "" : bytes(each.metadata.size)}</td><td class="dim nowrap hide-small" title=${time(each.updated_at)}>${ago(each.updated_at)}</td></tr>`)}</tbody></table></div>
      <div class="row">${cursors.length > 1 && html`<${Button} icon="left" onClick=${() => setCursors(cursors.slice(0, -1))}>Previous<//>`}${page.data.hasNext && html`<${Button} icon="right" onClick=${() => setCursors([...cursors, page.data.nextCursor])}>Next<//>`}</div>`}
    ${object && html`<${Preview} key=${object.id} me=${me} bucket=${bucket} object=${object} isPublic=${known?.public} onClose=${() => go(["files", bucket, ...folders])} onDelete=${() => setAsking({ kind: "file", name: object.name })} />`}
    ${asking?.kind === "file" && html`<${Confirm} title=${`Delete ${asking.name}?`} confirm="Delete file" onNo=${() => setAsking()} onYes=${async () => { await act("delete", { names: [asking.name] }, "Deleted."); go(["files", bucket, ...folders]); }}><p>Its content is gone for good, unless a backup has it.</p><//>`}
    ${asking?.kind === "replace" && html`<${Confirm} title=${`Replace ${asking.name}?`} confirm="Replace file" onNo=${() => setAsking()} onYes=${async () => { const answer = await put(bucket, asking.name, asking.file, true); say(`Replaced. Audit ${answer.audit}.`); setAsking(); reload(); }}><p>There is a file of this name. What it holds now is gone then.</p><//>`}
    ${asking?.kind === "public" && html`<${Confirm} title=${known?.public ? "Make it private?" : "Make it public?"} danger=${!known?.public} confirm=${known?.public ? "Make private" : "Make public"} onNo=${() => setAsking()} onYes=${() => act("change bucket", { public: !known?.public }, "Changed.")}><p>${known?.public ? "Links to its files stop working for those whom no policy lets read." : "Everybody who has a link reads its files, without signing in."}</p><//>`}
    ${asking?.kind === "bucket" && html`<${Confirm} title=${`Delete the bucket ${bucket}?`} confirm="Delete bucket" onNo=${() => setAsking()} onYes=${async () => { await act("delete bucket", {}, "Deleted."); go(["files"]); }}><p>Only an empty bucket can be deleted${known?.objects ? `; this one holds ${many(known.objects, "file")}` : ""}.</p>${known?.objects > 0 && html`<${Button} kind="danger" icon="trash" onClick=${() => setAsking({ kind: "empty" })}>Delete its files first …<//>`}<//>`}
    ${asking?.kind === "empty" && html`<${Confirm} title=${`Delete all files of ${bucket}?`} confirm=${`Delete ${many(known?.objects ?? 0, "file")}`} onNo=${() => setAsking()} onYes=${() => act("empty bucket", {}, "Emptied.")}><p>All of them are gone for good, unless a backup has them.</p><//>`}</div>`;
}

const address = (path, bucket, name, more = "") => `/console/api/files/${path}?bucket=${encodeURIComponent(bucket)}&name=${encodeURIComponent(name)}${more}`;

/** The file's bytes as they are, which no JSON carries. */
async function put(bucket, name, file, replaces) {
  const answer = await fetch(address("upload", bucket, name, replaces ? "&replace=1" : ""), { method: "POST", headers: { "X-Console": "1", "Content-Type": "application/octet-stream", "X-Object-Type": file.type || "application/octet-stream" }, body: file, credentials: "same-origin" });
  const value = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(value.error?.message || `The server said ${answer.status}.`), { status: answer.status });
  return value;
}

async function take(bucket, name) {
  const answer = await fetch(address("object", bucket, name), { headers: { "X-Console": "1" }, credentials: "same-origin" });
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error?.message || `The server said ${answer.status}.`);
  return [await answer.blob(), answer.headers.get("X-Object-Type") || ""];
}

const previewed = 5e6;
const isImage = (type) => /^image\/(png|jpeg|gif|webp|avif|bmp|x-icon)/.test(type);
const isText = (type) => /^text\/|json|xml|javascript|yaml|csv/.test(type);

/** Images as data:, which the page's policy allows; text as text, whatever it holds. */
function Preview({ me, bucket, object, isPublic, onClose, onDelete }) {
  const [shown, setShown] = useState();
  const [error, setError] = useState();
  const type = object.metadata?.mimetype || "", size = object.metadata?.size ?? 0;
  const can = size <= previewed && (isImage(type) || isText(type));
  useEffect(() => {
    if (!can) return;
    let ended = false;
    take(bucket, object.name).then(async ([blob]) => {
      if (isText(type)) return (await blob.slice(0, 200000).text());
      return new Promise((done) => { const reader = new FileReader(); reader.onload = () => done(String(reader.result).replace(/^data:[^;,]*/, "data:" + type.split(";")[0])); reader.readAsDataURL(blob); });
    }).then((value) => ended || setShown(value), (error) => ended || setError(error));
    return () => { ended = true; };
  }, [object.id, object.updated_at]);
  const save = async () => {
    try {
      const [blob] = await take(bucket, object.name);
      const anchor = document.createElement("a");
      anchor.href = URL.createObjectURL(blob);
      anchor.download = object.name.split("/").pop();
      anchor.click();
      setTimeout(() => URL.revokeObjectURL(anchor.href), 10000);
    } catch (error) { setError(error); }
  };
  const text = useMemo(() => { try { return /json/.test(type) && shown ? JSON.parse(shown) : undefined; } catch { return undefined; } }, [shown]);
  return html`<${Sheet} title=${object.name.split("/").pop()} sub=${`${bucket}/${object.name}`} onClose=${onClose} wide foot=${html`
      ${me.role !== "viewer" && html`<${Button} icon="trash" kind="danger" onClick=${onDelete}>Delete<//><span class="grow"></span>`}<${Button} onClick=${onClose}>Close<//><${Button} kind="primary" icon="download" onClick=${save}>Download<//>`}>
    <${Fault} error=${error} />
    ${can ? shown === undefined ? !error && html`<${Spinner} />` : isImage(type) ? html`<img class="preview" src=${shown} alt=${object.name} />` : text !== undefined && typeof text === "object" && text ? html`<${Tree} value=${text} />` : html`<pre class="preview-text" tabindex="0" aria-label="Content">${shown}</pre>`
      : html`<${Empty} icon="file" title="No preview">${size > previewed ? `It has ${bytes(size)}. Download it to look inside.` : `${type || "This type"} is not shown here. Download it to look inside.`}<//>`}
    <dl class="pairs"><dt>Type</dt><dd>${type || "unknown"}</dd><dt>Size</dt><dd>${bytes(size)}</dd><dt>Stored</dt><dd>${time(object.created_at)}</dd><dt>Changed</dt><dd>${time(object.updated_at)}</dd>${object.metadata?.eTag && html`<dt>ETag</dt><dd><code>${object.metadata.eTag}</code></dd>`}</dl>
    ${isPublic && html`<a href=${`/storage/v1/object/public/${encodeURIComponent(bucket)}/${object.name.split("/").map(encodeURIComponent).join("/")}`} target="_blank" rel="noopener">Its public link</a>`}<//>`;
}
