// One row: its values, what it refers to, what refers to it.
import { html, useState, useEffect, useMemo, useData, send, link, number } from "./base.js";
import { Button, Sheet, Fault, Confirm, Spinner, Tree, say, Code } from "./parts.js";
import { path, brief } from "./tables.js";

/** `rowKey` is the key's values as JSON, or "new". */
export function RowSheet({ me, table, rowKey, schema, name, canEdit, onClose, onChanged }) {
  const isNew = rowKey === "new";
  const key = useMemo(() => { try { return isNew ? null : JSON.parse(rowKey); } catch { return null; } }, [rowKey]);
  const row = useData(key ? `${path(schema, name)}/row` : null, { key });
  const [values, setValues] = useState({});
  const [error, setError] = useState();
  const [conflict, setConflict] = useState();
  const [statement, setStatement] = useState();
  const [deleting, setDeleting] = useState(false);
  const [busy, setBusy] = useState(false);
  useEffect(() => { setValues({}); setError(); setConflict(); }, [rowKey]);
  const isChanged = Object.keys(values).length > 0;
  const change = (extra = {}) => ({ kind: isNew ? "insert" : "update", key: key ?? undefined, version: row.data?.version, values, ...extra });
  useEffect(() => {
    if (!isChanged && !isNew) return setStatement();
    const timer = setTimeout(() => send(`${path(schema, name)}/change`, change({ preview: true })).then((answer) => setStatement(answer.statement), () => setStatement()), 150);
    return () => clearTimeout(timer);
  }, [JSON.stringify(values), rowKey]);
  const save = async () => {
    setBusy(true);
    setError();
    try {
      const answer = await send(`${path(schema, name)}/change`, change());
      say(`${isNew ? "Inserted" : "Saved"}. Audit ${answer.audit}.`);
      onChanged();
      onClose();
    } catch (error) {
      if (error.code === "CHANGED") setConflict(error.details.current); else setError(error);
    }
    setBusy(false);
  };
  const remove = async () => {
    const answer = await send(`${path(schema, name)}/change`, { kind: "delete", key, version: row.data?.version, values: {} });
    say(`Deleted. Audit ${answer.audit}.`);
    onChanged();
    onClose();
  };
  const title = isNew ? `New row in ${name}` : row.data?.label || name;
  const cells = row.data?.cells;
  const missing = error?.details?.column;
  return html`<${Sheet} title=${title} sub=${isNew ? schema : `${schema}.${name} · ${key ? key.join(", ") : ""}`} onClose=${onClose} wide
    foot=${canEdit && html`
      ${!isNew && cells && html`<${Button} icon="trash" kind="danger" onClick=${() => setDeleting(true)}>Delete<//><span class="grow"></span>`}
      <${Button} onClick=${onClose}>Close<//>
      <${Button} kind="primary" disabled=${busy || (!isNew && !isChanged)} onClick=${save}>${isNew ? "Insert row" : "Save"}<//>`}>
    <${Fault} error=${row.error} />
    ${!missing && html`<${Fault} error=${error} />`}
    ${conflict && html`<${Conflict} mine=${values} theirs=${conflict} onKeep=${() => { setConflict(); row.reload(); }} onDrop=${() => { setConflict(); setValues({}); row.reload(); onChanged(); }} />`}
    ${!isNew && !cells && !row.error && html`<${Spinner} />`}
    ${(isNew || cells) && table.columns.map((column, index) => html`<${Value} key=${column.name} column=${column} isNew=${isNew} current=${cells?.[index]} cut=${row.data?.cut?.includes(column.name)}
      change=${values[column.name]} isSet=${column.name in values} canEdit=${canEdit && !column.generated} error=${missing === column.name ? error : undefined}
      reference=${table.references.find((each) => each.columns.length === 1 && each.columns[0] === column.name)}
      onChange=${(value) => setValues(({ [column.name]: _, ...rest }) => value === undefined ? rest : { ...rest, [column.name]: value })} />`)}
    ${statement && html`<section class="stack"><h3>What will run</h3><${Code} label="Statement">${statement}<//></section>`}
    ${!isNew && key && html`<${Referrers} schema=${schema} name=${name} rowKey=${key} />`}
    ${deleting && html`<${Confirm} title="Delete this row?" confirm="Delete row" onYes=${remove} onNo=${() => setDeleting(false)}>
      <p>It is gone for good; the audit keeps what it held.</p><${Referrers} schema=${schema} name=${name} rowKey=${key} /><//>`}
  <//>`;
}

/** Null, text and the column's default are three different things: undefined leaves alone, null is NULL, { default: true } is DEFAULT. */
function Value({ column, isNew, current, cut, change, isSet, canEdit, reference, error, onChange }) {
  const state = !isSet ? (isNew ? "default" : current === null ? "null" : "text") : change === null ? "null" : typeof change === "object" ? "default" : "text";
  const text = isSet && typeof change === "string" ? change : isSet ? "" : current ?? "";
  const isLong = text.length > 80 || text.includes("\n") || column.type.startsWith("json");
  const set = (value) => onChange(!isNew && value === current ? undefined : value);
  const json = useMemo(() => { try { return column.type.startsWith("json") && text ? JSON.parse(text) : undefined; } catch { return undefined; } }, [text, column.type]);
  const id = "value-" + column.name;
  return html`<div class="value">
    <div class="value-head"><label class="label" for=${id}>${column.name}</label><span class="type">${brief(column.type)}${column.key ? " · key" : ""}</span>
      ${canEdit && (!column.notNull || column.default) && html`<span class="segments" role="group" aria-label=${`Kind of value of ${column.name}`}>
        <button type="button" aria-pressed=${state === "text"} onClick=${() => set(text)}>value</button>
        ${!column.notNull && html`<button type="button" aria-pressed=${state === "null"} onClick=${() => set(null)}>null</button>`}
        ${(column.default || (isNew && !column.notNull)) && html`<button type="button" aria-pressed=${state === "default"} title=${column.default} onClick=${() => onChange({ default: true })}>default</button>`}
      </span>`}</div>
    ${state === "text" || (isNew && state === "default" && column.notNull && !column.default)
      ? canEdit && !cut
        ? column.enum ? html`<select id=${id} value=${text} onChange=${(event) => set(event.target.value)}>${!column.enum.includes(text) && html`<option value="">Choose …</option>`}${column.enum.map((each) => html`<option selected=${each === text} value=${each}>${each}</option>`)}</select>`
          : column.type === "boolean" ? html`<select id=${id} value=${text} onChange=${(event) => set(event.target.value)}>${["", "true", "false"].map((each) => html`<option value=${each} selected=${each === text}>${each || "Choose …"}</option>`)}</select>`
          : isLong ? html`<textarea id=${id} rows="4" value=${text} onInput=${(event) => set(event.target.value)}></textarea>`
          : html`<input id=${id} value=${text} aria-invalid=${!!error} onInput=${(event) => set(event.target.value)} />`
        : html`<div class="value-text" id=${id}>${json !== undefined && typeof json === "object" ? html`<${Tree} value=${json} />` : text === "" ? html`<span class="cell-null">empty</span>` : text}${cut && html`<p class="dim">cut: it is longer than can be edited here</p>`}</div>`
      : html`<div class="value-text"><span class="cell-null">${state === "null" ? "null" : column.default || "null"}</span></div>`}
    ${error && html`<p class="field-error" role="alert">${error.message}</p>`}
    ${json !== undefined && json !== null && typeof json === "object" && canEdit && html`<details><summary class="dim">As a tree</summary><${Tree} value=${json} /></details>`}
    ${reference && state === "text" && text && html`<a href=${link(["tables", reference.schema, reference.table], { row: JSON.stringify([text]) })}>Open in ${reference.table}</a>`}
  </div>`;
}

function Conflict({ mine, theirs, onKeep, onDrop }) {
  const names = Object.keys(mine);
  return html`<section class="card" role="alert"><h2>Somebody else has changed this row meanwhile</h2>
    <table class="list"><thead><tr><th>Column</th><th>Now in the table</th><th>Yours</th></tr></thead><tbody>
      ${names.map((name) => html`<tr><td>${name}</td><td>${JSON.stringify(theirs[name])}</td><td>${JSON.stringify(mine[name])}</td></tr>`)}</tbody></table>
    <div class="row"><${Button} onClick=${onKeep}>Keep mine, on top of it<//><${Button} onClick=${onDrop}>Take theirs<//></div></section>`;
}

function Referrers({ schema, name, rowKey }) {
  const found = useData(`${path(schema, name)}/referrers`, { key: rowKey });
  if (!found.data?.length) return null;
  return html`<section class="stack"><h3>Referred to by</h3><div class="list-box"><table class="list"><tbody>
    ${found.data.map((each) => html`<tr><td><a href=${link(["tables", each.schema, each.table], { f: JSON.stringify(each.columns.map((column, index) => [column, "eq", each.values[index]])) })}>${each.table}</a>
      <span class="dim"> by ${each.columns.join(", ")}</span></td><td class="num nowrap">${each.count > 1000 ? "more than 1,000" : number(each.count)}</td></tr>`)}
  </tbody></table></div></section>`;
}
