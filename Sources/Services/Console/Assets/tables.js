// Tables and their rows.
import { html, useState, useEffect, useRef, useMemo, useData, useTicks, readByItself, send, link, go, number, many, classes } from "./base.js";
import { Icon, Button, Search, Fault, Empty, Spinner, Select, Tag, Head, say, Confirm } from "./parts.js";
import { RowSheet } from "./sheet.js";
import { useColumnWindow } from "./columns.js";

export function Tables({ me, route }) {
  const tables = useData("/tables");
  const [, schema, name] = route.parts;
  const [search, setSearch] = useState("");
  const groups = useMemo(() => {
    const groups = {};
    for (const table of tables.data || []) {
      if (table.name.toLowerCase().includes(search.toLowerCase())) (groups[table.schema] ||= []).push(table);
    }
    // Those of the apps first.
    return Object.entries(groups).sort(([a], [b]) => (platform.has(a) - platform.has(b)) || a.localeCompare(b));
  }, [tables.data, search]);
  return html`<div class=${classes("split", name && "open")}>
    <aside class="aside" aria-label="Tables">
      <${Search} value=${search} onInput=${setSearch} label="Find a table" />
      <${Fault} error=${tables.error} />
      ${!tables.data && tables.loading && html`<${Spinner} />`}
      ${groups.map(([group, list]) => html`<section key=${group}><h3>${group}</h3><div class="aside-list">
        ${list.map((table) => html`<a key=${table.name} class=${classes("item", table.schema === schema && table.name === name && "on")}
          aria-current=${table.schema === schema && table.name === name ? "page" : undefined}
          href=${link(["tables", table.schema, table.name])} title=${table.comment || table.name}>
          <span>${table.name}</span>${table.kind === "view" && html`<${Tag}>view<//>`}<span class="faint">${short(table.estimate)}</span></a>`)}
      </div></section>`)}
      ${tables.data && !groups.length && html`<p class="dim">${tables.data.length ? "No table has such a name." : "There are no tables yet: swiftlet migrate makes them."}</p>`}
    </aside>
    <section class="pane">${name
      ? html`<${Table} key=${schema + "." + name} me=${me} schema=${schema} name=${name} query=${route.query} />`
      : html`<${Empty} icon="tables" title="Choose a table">Rows can be filtered, sorted, edited and followed along their references.<//>`}</section>
  </div>`;
}

const platform = new Set(["auth", "storage", "realtime", "swiftlet"]);
const short = (count) => count < 1000 ? String(count) : count < 1e6 ? Math.round(count / 1000) + "k" : (count / 1e6).toFixed(1) + "M";

const operators = [
  ["eq", "is"], ["neq", "is not"], ["contains", "contains"], ["starts", "starts with"], ["gt", ">"], ["gte", "≥"], ["lt", "<"], ["lte", "≤"],
  ["null", "is null"], ["notnull", "is not null"], ["true", "is true"], ["false", "is false"],
];
export const words = Object.fromEntries(operators);
const needsNone = new Set(["null", "notnull", "true", "false"]);
const parse = (text, fallback) => { try { return JSON.parse(text) ?? fallback; } catch { return fallback; } };

/** Where each view was left, for who comes back to it by the browser's own button. */
const kept = new Map();
let returns = false;
globalThis.navigation?.addEventListener("navigate", (event) => { returns = event.navigationType === "traverse"; });

function Table({ me, schema, name, query }) {
  const table = useData(`/tables/${encodeURIComponent(schema)}/${encodeURIComponent(name)}`);
  const filters = parse(query.f, []);
  const order = parse(query.o, []);
  const view = JSON.stringify([schema, name, query.f, query.o]);
  const [place, setPlace] = useState(() => (returns && kept.get(view)?.place) || { page: 1 });
  const shown = useRef(view);
  useEffect(() => { if (shown.current !== view) { shown.current = view; setPlace({ page: 1 }); } }, [view]);
  const conditions = filters.map(([column, op, value]) => ({ column, op, value: value ?? null }));
  const rows = useData(table.data ? `${path(schema, name)}/rows` : null, {
    filters: conditions, order: order.map(([column, desc]) => ({ column, desc: !!desc })),
    after: place.after, reverse: place.reverse, offset: place.offset, limit: 100,
  });
  const address = (change) => link(["tables", schema, name], { f: query.f, o: query.o, row: query.row, ...change });
  const change = (values, options) => go(["tables", schema, name], { f: query.f, o: query.o, row: query.row, ...values }, options);
  const page = useMemo(() => {
    if (!rows.data) return null;
    const limit = rows.data.limit;
    const more = rows.data.rows.length > limit;
    // A column that has come or gone since is in one of the two answers only.
    const places = table.data.columns.map((column) => rows.data.columns.indexOf(column.name));
    const isSame = places.every((place, index) => place === index);
    let list = rows.data.rows.slice(0, limit);
    if (!isSame) list = list.map((row) => ({ ...row, cells: places.map((place) => row.cells[place] ?? null) }));
    if (place.reverse) list = list.slice().reverse();
    return { list, hasNext: place.reverse ? !place.isLast : more, hasPrevious: place.reverse ? more : place.page > 1 || !!place.after };
  }, [rows.data, table.data]);
  // What was altered elsewhere is seen within two seconds.
  useTicks(1200, async () => {
    if (!table.data || table.loading) return;
    const now = await readByItself(path(schema, name)).catch(() => null);
    if (now && shapeOf(now) !== shapeOf(table.data)) { table.tick(); rows.tick(); }
  });
  const canEdit = table.data && !table.data.readOnly && me.role !== "viewer";
  const sort = (column) => {
    const current = order[0];
    const next = current?.[0] !== column ? [[column]] : current[1] ? [] : [[column, 1]];
    change({ o: next.length ? JSON.stringify(next) : undefined });
  };
  if (table.error) return html`<${Fault} error=${table.error} />`;
  if (!table.data) return html`<${Spinner} />`;
  const keyed = table.data.columns.some((column) => column.key);
  const turn = (to) => {
    const list = page.list;
    if (to === "first") setPlace({ page: 1 });
    if (to === "last") setPlace({ reverse: true, isLast: true, page: 2 });
    if (to === "next") setPlace(keyed ? { after: list[list.length - 1].order, page: place.page + 1 } : { offset: (place.offset || 0) + 100, page: place.page + 1 });
    if (to === "previous") {
      if (!keyed) return setPlace({ offset: Math.max(0, (place.offset || 0) - 100), page: place.page - 1 });
      setPlace(place.page === 2 && !place.reverse ? { page: 1 } : { after: list[0].order, reverse: true, page: Math.max(2, place.page - 1) });
    }
  };
  return html`
    <${Head} back=${"#/tables"} title=${name} sub=${html`${schema}${table.data.comment ? ` · ${table.data.comment}` : ""}`}>
      ${!table.data.rls && !platform.has(schema) && table.data.isTable && html`<${Tag} kind="warn" title="No row level security">open<//>`}
      ${me.role !== "viewer" && table.data.isTable && html`<a class="button" href=${link(["access", schema, name], { f: conditions.length ? JSON.stringify(conditions) : undefined })}><${Icon} name="access" /><span>Access</span></a>`}
      <${Exchange} me=${me} schema=${schema} name=${name} filters=${conditions} order=${order} canEdit=${canEdit} onDone=${rows.reload} />
      ${canEdit && html`<${Button} icon="plus" kind="primary" onClick=${() => change({ row: "new" })}>Insert row<//>`}
    <//>
    <${Filters} columns=${table.data.columns} filters=${filters} onChange=${(filters) => change({ f: filters.length ? JSON.stringify(filters) : undefined })} />
    ${table.data.readOnly && html`<p class="note"><${Icon} name="lock" />Rows cannot be changed here. ${table.data.readOnly}</p>`}
    <${Fault} error=${rows.error} />
    <${Grid} table=${table.data} page=${page} order=${order} onSort=${sort} canEdit=${canEdit} openKey=${query.row}
      view=${view} place=${place} filtered=${filters.length > 0} loading=${rows.loading} onOpen=${(key) => change({ row: key })} onChanged=${rows.reload} schema=${schema} name=${name} />
    <footer class="grid-foot">
      <span class="grow" role="status">${rows.data ? counted(rows.data, filters.length) : " "}</span>
      <div class="pager">
        <${Button} kind="ghost" icon="first" label="First page" disabled=${!page?.hasPrevious} onClick=${() => turn("first")} />
        <${Button} kind="ghost" icon="left" label="Previous page" disabled=${!page?.hasPrevious} onClick=${() => turn("previous")} />
        <${Button} kind="ghost" icon="right" label="Next page" disabled=${!page?.hasNext} onClick=${() => turn("next")} />
        <${Button} kind="ghost" icon="last" label="Last page" disabled=${!page?.hasNext || !keyed} onClick=${() => turn("last")} />
        <${Button} kind="ghost" icon="refresh" label="Load again" onClick=${() => { table.reload(); rows.reload(); }} />
      </div>
    </footer>
    ${query.row && html`<${RowSheet} me=${me} table=${table.data} rowKey=${query.row} schema=${schema} name=${name} canEdit=${canEdit}
      onClose=${() => change({ row: undefined })} onChanged=${rows.reload} />`}`;
}

const shapeOf = (table) => JSON.stringify([table.columns, table.references, table.readOnly, table.rls]);
export const path = (schema, name) => `/tables/${encodeURIComponent(schema)}/${encodeURIComponent(name)}`;
const counted = ({ count, exact }, isFiltered) => count === null ? " "
  : exact ? many(count, "row") : isFiltered ? `more than ${number(10000)} rows` : `about ${many(count, "row")}`;

function Filters({ columns, filters, onChange }) {
  const [draft, setDraft] = useState(null);
  const start = (filter, index) => setDraft({ column: filter?.[0] || columns[0].name, op: filter?.[1] || "eq", value: filter?.[2] ?? "", index });
  const apply = (event) => {
    event.preventDefault();
    const filter = needsNone.has(draft.op) ? [draft.column, draft.op] : [draft.column, draft.op, draft.value];
    onChange(draft.index === undefined ? [...filters, filter] : filters.map((old, index) => index === draft.index ? filter : old));
    setDraft(null);
  };
  return html`<div class="filters">
    ${filters.map(([column, op, value], index) => html`<span class="chip on">
      <button type="button" class="plain-button" onClick=${() => start(filters[index], index)}>${column} ${words[op]}${value !== undefined ? ` ${JSON.stringify(value)}` : ""}</button>
      <button type="button" class="plain-button" aria-label=${`Remove the filter on ${column}`} onClick=${() => onChange(filters.filter((_, other) => other !== index))}><${Icon} name="close" size=${14} /></button></span>`)}
    ${draft ? html`<form class="filter" onSubmit=${apply}>
      <${Select} aria-label="Column" value=${draft.column} options=${columns.map((column) => column.name)} onChange=${(column) => setDraft({ ...draft, column })} />
      <${Select} aria-label="Operator" value=${draft.op} options=${operators} onChange=${(op) => setDraft({ ...draft, op })} />
      ${!needsNone.has(draft.op) && html`<${Suggested} column=${columns.find((column) => column.name === draft.column)} value=${draft.value} onInput=${(value) => setDraft({ ...draft, value })} />`}
      <button class="button primary">Apply</button><${Button} kind="ghost" onClick=${() => setDraft(null)}>Cancel<//></form>`
    : html`<${Button} kind="small" icon="filter" onClick=${() => start()}>Filter<//>`}
  </div>`;
}

const Suggested = ({ column, value, onInput }) => html`
  <input aria-label="Value" autofocus list=${column?.enum ? "values" : undefined} value=${value} ref=${(input) => input && !input.dataset.seen && (input.dataset.seen = "1", input.focus())}
    onInput=${(event) => onInput(event.target.value)} />${column?.enum && html`<datalist id="values">${column.enum.map((each) => html`<option value=${each} />`)}</datalist>`}`;

/** Arrow keys move, Enter edits or opens, Escape leaves. */
function Grid({ table, page, order, onSort, canEdit, openKey, view, place, filtered, loading, onOpen, onChanged, schema, name }) {
  const [at, setAt] = useState([0, 0]);
  const [editing, setEditing] = useState(null);
  const [statement, setStatement] = useState("");
  const [error, setError] = useState();
  const [changed, setChanged] = useState(null);
  const body = useRef();
  const columns = table.columns;
  const box = useRef();
  const wide = useColumnWindow(box, columns.length, page?.list.length || 0);
  const shown = columns.slice(wide.from, wide.to);
  // What Tab reaches is always among the cells that there are.
  const stop = [Math.max(wide.top, Math.min(wide.bottom - 1, at[0])), Math.max(wide.from, Math.min(wide.to - 1, at[1]))];
  const keys = columns.map((column, index) => [column.key, index]).filter(([key]) => key).sort((a, b) => a[0] - b[0]).map(([, index]) => index);
  const isPlaced = useRef(!returns);
  useEffect(() => {
    if (!page || isPlaced.current) return;
    isPlaced.current = true;
    const was = kept.get(view);
    if (was) box.current?.scrollTo(was.left, was.top);
  }, [page]);
  const keep = (event) => { kept.set(view, { place, left: event.target.scrollLeft, top: event.target.scrollTop }); wide.look(); };
  const keyOf = (row) => keys.length ? JSON.stringify(row.key) : null;
  const references = useMemo(() => Object.fromEntries(table.references.filter((each) => each.columns.length === 1).map((each) => [each.columns[0], each])), [table]);
  const focus = (row, column) => {
    setAt([row, column]);
    wide.reveal(row, column);
    const give = () => body.current?.rows[row]?.querySelector(`[aria-colindex="${column + 1}"]`)?.focus();
    if (column >= wide.from && column < wide.to && row >= wide.top && row < wide.bottom) give(); else requestAnimationFrame(() => setTimeout(give));
  };
  const change = (text) => ({ kind: "update", key: editing.row.key, version: editing.row.version, values: { [columns[editing.column].name]: text } });
  const begin = async (row, index, column) => {
    const cell = row.cells[column];
    if (!canEdit || columns[column].generated) return onOpen(keyOf(row));
    // What is cut or long is edited in the sheet.
    if (cell !== null && (cell.length > 200 || cell.includes("\n"))) return onOpen(keyOf(row));
    setEditing({ row, index, column, text: cell ?? "" });
    setError();
    const preview = await send(`${path(schema, name)}/change`, { kind: "update", preview: true, key: row.key, values: { [columns[column].name]: "" } }).catch(() => null);
    setStatement(preview?.statement || "");
  };
  const save = async () => {
    const { index, column, text } = editing;
    if (text === (editing.row.cells[column] ?? "")) { setEditing(null); return setTimeout(() => focus(index, column)); }
    try {
      const answer = await send(`${path(schema, name)}/change`, change(text));
      setEditing(null);
      setChanged(keyOf(editing.row));
      say(`Saved. Audit ${answer.audit}.`);
      onChanged();
      setTimeout(() => focus(index, column));
    } catch (error) { setError(error); }
  };
  const key = (event, row, index, column) => {
    if (editing) return;
    const rows = page.list.length;
    const moves = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [15, 0], PageUp: [-15, 0] };
    const move = moves[event.key];
    if (move) { event.preventDefault(); focus(Math.max(0, Math.min(rows - 1, index + move[0])), Math.max(0, Math.min(columns.length - 1, column + move[1]))); }
    if (event.key === "Home") { event.preventDefault(); focus(event.ctrlKey ? 0 : index, 0); }
    if (event.key === "End") { event.preventDefault(); focus(event.ctrlKey ? rows - 1 : index, columns.length - 1); }
    if (event.key === "Enter" || event.key === "F2") { event.preventDefault(); begin(row, index, column); }
    if (event.key === " ") { event.preventDefault(); keyOf(row) && onOpen(keyOf(row)); }
    if ((event.ctrlKey || event.metaKey) && event.key === "c" && !String(getSelection())) navigator.clipboard?.writeText(row.cells[column] ?? "");
  };
  if (page && !page.list.length) return html`<div class="grid-box"><${Empty} icon="tables" title=${filtered ? "No row matches" : "No rows yet"}>
    ${filtered ? "Remove a filter to see more." : canEdit ? "“Insert row” makes the first one." : "Rows appear here as soon as there are some."}<//></div>`;
  return html`
    ${editing && html`<p class="statement" role="status"><${Icon} name="sql" size=${16} /><span>${statement || " "}</span></p>`}
    <${Fault} error=${error} />
    <div class="grid-box" ref=${box} onScroll=${keep}><table class=${classes("grid", wide.on && "wide")} role="grid" aria-label=${`Rows of ${name}`} aria-busy=${loading} aria-colcount=${columns.length} style=${wide.style}>
      ${wide.on && html`<colgroup><col style=${wide.first} /><col style=${wide.before} />${shown.map((column) => html`<col key=${column.name} style=${wide.column} />`)}<col style=${wide.after} /></colgroup>`}
      <thead><tr><th class="first"><span class="plain"> </span></th>${wide.on && html`<th class="aside-columns" aria-hidden="true"></th>`}${shown.map((column, place) => {
        const sorted = order[0]?.[0] === column.name ? (order[0][1] ? "descending" : "ascending") : undefined;
        return html`<th key=${column.name} scope="col" aria-colindex=${wide.from + place + 1} aria-sort=${sorted}><button type="button" title=${column.comment || `Sort by ${column.name}`} onClick=${() => onSort(column.name)}>
          <span class="name">${column.name}${column.key && html`<${Icon} name="key" size=${14} />`}${sorted && html`<${Icon} name=${sorted === "ascending" ? "up" : "down"} size=${14} />`}</span>
          <span class="type">${brief(column.type)}${column.notNull ? "" : "?"}</span></button></th>`;
      })}${wide.on && html`<th class="aside-columns" aria-hidden="true"></th>`}</tr></thead>
      <tbody ref=${body}>${page?.list.map((row, index) => index < wide.top || index >= wide.bottom
        ? html`<tr key=${keyOf(row) ?? index}><td class="first"></td></tr>` : html`
        <tr key=${keyOf(row) ?? index} class=${classes(changed && changed === keyOf(row) && "changed", openKey && openKey === keyOf(row) && "open")}>
          <td class="first">${keys.length > 0 && html`<${Button} kind="ghost small" icon="right" label="Open row" onClick=${() => onOpen(keyOf(row))} />`}</td>
          ${wide.on && html`<td class="aside-columns" aria-hidden="true"></td>`}
          ${shown.map((column, offset) => {
            const place = wide.from + offset;
            if (editing?.row === row && editing.column === place) {
              return html`<td key=${column.name} class="editing" role="gridcell" aria-colindex=${place + 1}><${CellEditor} column=${column} text=${editing.text} onInput=${(text) => setEditing({ ...editing, text })} onSave=${save}
                onLeave=${() => { setEditing(null); setError(); setTimeout(() => focus(index, place)); }} /></td>`;
            }
            return html`<td key=${column.name} role="gridcell" aria-colindex=${place + 1} tabindex=${stop[0] === index && stop[1] === place ? 0 : -1} onFocus=${() => setAt([index, place])}
                onKeyDown=${(event) => key(event, row, index, place)} onDblClick=${() => begin(row, index, place)}>
                ${Cell({ value: row.cells[place], column, reference: references[column.name] })}</td>`;
          })}
          ${wide.on && html`<td class="aside-columns" aria-hidden="true"></td>`}
        </tr>`)}</tbody>
    </table>${!page && html`<${Empty} icon="tables" title="Loading …" />`}</div>`;
}

export const brief = (type) => type.replace("timestamp with time zone", "timestamptz").replace("timestamp without time zone", "timestamp").replace("character varying", "varchar").replace("double precision", "float8");
const numeric = /^(smallint|integer|bigint|numeric|real|double)/;

export function Cell({ value, column, reference }) {
  if (value === null) return html`<span class="cell-null">null</span>`;
  if (value === "") return html`<span class="cell-null">empty</span>`;
  if (reference) return html`<a class=${column.type === "uuid" ? "cell-mono" : ""} href=${link(["tables", reference.schema, reference.table], { row: JSON.stringify([value]) })} tabindex="-1">${value.slice(0, 120)}</a>`;
  if (column.type === "boolean") return value === "true" || value === "t" ? html`<${Tag} kind="good">true<//>` : html`<${Tag}>false<//>`;
  if (numeric.test(column.type)) return html`<span class="cell-number">${value}</span>`;
  if (column.type.startsWith("timestamp")) return html`<span class="cell-number" title=${value}>${value.replace(/\.\d+/, "").replace(/\+00$/, " UTC")}</span>`;
  if (column.type === "uuid" || column.type.startsWith("json")) return html`<span class="cell-mono">${value.slice(0, 120)}</span>`;
  return value.length > 200 ? value.slice(0, 200) + "…" : value;
}

function CellEditor({ column, text, onInput, onSave, onLeave }) {
  const input = useRef();
  useEffect(() => { input.current.focus(); input.current.select?.(); }, []);
  const key = (event) => {
    if (event.key === "Enter") { event.preventDefault(); event.stopPropagation(); onSave(); }
    if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); onLeave(); }
  };
  return html`<input ref=${input} aria-label=${column.name} value=${text} list=${column.enum ? "choices" : undefined} onInput=${(event) => onInput(event.target.value)} onKeyDown=${key} />
    ${column.enum && html`<datalist id="choices">${column.enum.map((each) => html`<option value=${each} />`)}</datalist>`}`;
}

/** CSV out of the filtered rows, and in as a whole or not at all. */
function Exchange({ me, schema, name, filters, order, canEdit, onDone }) {
  const file = useRef();
  const [error, setError] = useState();
  const out = async () => {
    try {
      const answer = await send(`${path(schema, name)}/export`, { filters, order: order.map(([column, desc]) => ({ column, desc: !!desc })) });
      const anchor = document.createElement("a");
      anchor.href = URL.createObjectURL(await answer.blob());
      anchor.download = `${name}.csv`;
      anchor.click();
      setTimeout(() => URL.revokeObjectURL(anchor.href), 10000);
    } catch (error) { say(error.message, "bad"); }
  };
  const into = async (event) => {
    const chosen = event.target.files[0];
    event.target.value = "";
    if (!chosen) return;
    try {
      const answer = await send(`${path(schema, name)}/import`, { csv: await chosen.text() });
      say(`${many(answer.count, "row")} inserted. Audit ${answer.audit}.`);
      onDone();
    } catch (error) { setError(error); }
  };
  return html`<${Button} icon="download" label="Save as CSV" onClick=${out} />
    ${canEdit && html`<${Button} icon="upload" label="Insert from CSV" onClick=${() => file.current.click()} /><input type="file" accept=".csv,text/csv" hidden ref=${file} onChange=${into} />`}
    ${error && html`<${Confirm} title="The file was refused as a whole" confirm="Close" danger=${false} onYes=${() => setError()} onNo=${() => setError()}><${Fault} error=${error} /><//>`}`;
}
