// A picture of tables and what they refer to.
import { html, useState, useMemo, useRef, useData, link, go } from "./base.js";
import { Button, Head, Fault, Spinner, Select, Empty } from "./parts.js";

const width = 210, line = 18, head = 30, gapX = 70, gapY = 22, shownColumns = 9;

export function Schema() {
  const picture = useData("/picture");
  const [schema, setSchema] = useState("public");
  const svg = useRef();
  const schemas = useMemo(() => [...new Set((picture.data || []).map((table) => table.schema))], [picture.data]);
  const chosen = schemas.includes(schema) ? schema : schemas[0];
  const layout = useMemo(() => place((picture.data || []).filter((table) => table.schema === chosen)), [picture.data, chosen]);
  const save = () => {
    const copy = svg.current.cloneNode(true);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
    style.textContent = "text{font:12px system-ui,sans-serif;fill:#222}.er-name{font-weight:600}.er-type{fill:#666}.er-box{fill:#fff;stroke:#999}.er-link{fill:none;stroke:#b23f0a}";
    copy.prepend(style);
    const anchor = document.createElement("a");
    anchor.href = URL.createObjectURL(new Blob([copy.outerHTML], { type: "image/svg+xml" }));
    anchor.download = `${chosen}.svg`;
    anchor.click();
  };
  return html`<div class="pane plain"><${Head} title="Schema" sub="Tables and their foreign keys. A line leaves the column that refers.">
      ${schemas.length > 1 && html`<${Select} aria-label="Schema" value=${chosen} options=${schemas} onChange=${setSchema} />`}
      <${Button} icon="download" onClick=${save}>SVG<//><//>
    <${Fault} error=${picture.error} />
    ${!picture.data ? html`<${Spinner} />` : !layout.tables.length ? html`<${Empty} icon="schema" title="No tables here">swiftlet migrate makes them.<//>` : html`
    <div class="picture" tabindex="0" aria-label="Picture of the tables"><svg ref=${svg} width=${layout.width} height=${layout.height} viewBox=${`0 0 ${layout.width} ${layout.height}`} role="img" aria-label=${`${layout.tables.length} tables`}>
      ${layout.links.map((each) => html`<path class="er-link" d=${each} />`)}
      ${layout.tables.map((table) => html`<g class="er-table" key=${table.name} data-table=${table.name} transform=${`translate(${table.x} ${table.y})`} onClick=${() => go(["tables", table.schema, table.name])}>
        <rect class="er-box" width=${width} height=${table.height} rx="8" />
        <text class="er-name" x="12" y="20">${table.name.slice(0, 28)}</text>
        ${table.shown.map((column, index) => html`<text x="12" y=${head + 14 + index * line} class=${column.key ? "er-key" : ""}>${column.name.slice(0, 18)}</text><text class="er-type" x=${width - 12} y=${head + 14 + index * line} text-anchor="end">${brief(column.type)}</text>`)}
        ${table.more > 0 && html`<text class="er-type" x="12" y=${head + 14 + table.shown.length * line}>and ${table.more} more</text>`}
      </g>`)}</svg></div>`}</div>`;
}

const brief = (type) => type.replace("timestamp with time zone", "timestamptz").replace("timestamp without time zone", "timestamp").replace("character varying", "varchar").replace("double precision", "float8").slice(0, 13);

/** Each table right of all that it refers to, in columns; within one, near what it refers to. */
export function place(tables) {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const refers = (table) => table.references.filter((each) => each.schema === table.schema && each.table !== table.name && byName.has(each.table));
  const depth = new Map();
  const measure = (name, path) => {
    if (depth.has(name)) return depth.get(name);
    if (path.has(name)) return 0;
    path.add(name);
    const value = refers(byName.get(name)).reduce((most, each) => Math.max(most, measure(each.table, path) + 1), 0);
    path.delete(name);
    depth.set(name, value);
    return value;
  };
  tables.forEach((table) => measure(table.name, new Set()));
  const used = new Set(tables.flatMap((table) => refers(table).map((each) => each.table)));
  // Those without any line stand together behind the others.
  const isAlone = (table) => !refers(table).length && !used.has(table.name);
  const linked = tables.filter((table) => !isAlone(table));
  const layers = [];
  for (const table of linked) (layers[depth.get(table.name)] ||= []).push(table);
  const placed = new Map();
  let x = 16, height = 0;
  const box = (table) => {
    const keys = new Set(table.references.map((each) => each.column));
    const columns = [...table.columns].sort((a, b) => (b.key - a.key) || (keys.has(b.name) - keys.has(a.name)));
    const shown = columns.slice(0, shownColumns);
    return { ...table, shown, more: columns.length - shown.length, height: head + shown.length * line + (columns.length > shown.length ? line : 0) + 10 };
  };
  const tallest = 1600;
  const column = (list) => {
    let y = 16;
    for (const table of list.map(box)) {
      if (y > 16 && y + table.height > tallest) { x += width + gapX; y = 16; }
      placed.set(table.name, { ...table, x, y });
      y += table.height + gapY;
      height = Math.max(height, y);
    }
    x += width + gapX;
  };
  for (const layer of layers.filter(Boolean)) {
    const near = (table) => { const all = refers(table).map((each) => placed.get(each.table)?.y ?? 0); return all.length ? all.reduce((sum, y) => sum + y, 0) / all.length : 0; };
    column(layer.sort((a, b) => near(a) - near(b) || a.name.localeCompare(b.name)));
  }
  const alone = tables.filter(isAlone);
  if (alone.length) column(alone);
  const links = [];
  for (const table of placed.values()) for (const each of table.references) {
    const target = placed.get(each.table);
    if (!target || each.schema !== table.schema || target === table) continue;
    const row = Math.max(0, table.shown.findIndex((column) => column.name === each.column));
    const [x1, y1] = [table.x, table.y + head + 9 + row * line];
    const [x2, y2] = [target.x + (target.x < table.x ? width : 0), target.y + 16];
    const bend = Math.max(30, Math.abs(x1 - x2) / 2);
    links.push(`M${x1} ${y1}C${x1 - bend} ${y1} ${x2 + (target.x < table.x ? bend : -bend)} ${y2} ${x2} ${y2}`);
  }
  return { tables: [...placed.values()], links, width: Math.max(x - gapX + 16, 300), height: height + 8 };
}
