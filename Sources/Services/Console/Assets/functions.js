// What clients can ask for, and trying it.
import { html, useState, useEffect, useMemo, send, useData, link, classes } from "./base.js";
import { Icon, Fault, Empty, Spinner, Field, Tag, Code } from "./parts.js";
import { loadAPI, operationsOf, OperationList, Operation, Snippets, sample, resolve } from "./operations.js";

export function Functions({ me, route }) {
  const [api, setAPI] = useState();
  const [error, setError] = useState();
  useEffect(() => { loadAPI().then(setAPI, setError); }, []);
  const operations = useMemo(() => api ? operationsOf(api) : [], [api]);
  const id = route.parts[1];
  const each = operations.find((each) => each.id === id);
  return html`<div class=${classes("split wide-aside", each && "open")}>
    ${api ? html`<${OperationList} title="Functions" operations=${operations} value=${id} href=${(each) => link(["functions", each.id])} />` : html`<aside class="aside"><${Fault} error=${error} />${!error && html`<${Spinner} />`}</aside>`}
    <section class="pane plain">${each ? html`<p class="only-small"><a href="#/functions">All functions</a></p><${Operation} api=${api} each=${each}><${Try} key=${each.id} me=${me} api=${api} each=${each} /><//>`
      : html`<${Empty} icon="functions" title="Choose an operation">${operations.length ? `${operations.length} are served. Each can be tried with the token of any user.` : " "}<//>`}</section></div>`;
}

function Try({ me, api, each }) {
  const body = resolve(api, each.operation.requestBody)?.content?.["application/json"]?.schema;
  const [values, setValues] = useState({});
  const [text, setText] = useState(() => body ? JSON.stringify(sample(api, body), null, 2) : "");
  const [as, setAs] = useState("");
  const [token, setToken] = useState("");
  const [answer, setAnswer] = useState();
  // What was made for the last try, so that the snippets below work as they are, for its minute.
  const [made, setMade] = useState("");
  const [error, setError] = useState();
  const [busy, setBusy] = useState(false);
  const users = useData(me.role === "owner" ? `/users?search=${encodeURIComponent(as)}` : null);
  const parameters = each.parameters.filter((each) => ["path", "query"].includes(each.in));
  const own = async () => {
    if (token) return token;
    const user = users.data?.find((user) => user.email === as || user.id === as);
    if (!as) return "";
    if (!user) throw { message: `There is no account ${as}.` };
    const { token: own } = await send("/users/token", { id: user.id, minutes: 1, reason: `try ${each.method.toUpperCase()} ${each.path}` });
    setMade(own);
    return own;
  };
  const run = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError();
    setAnswer();
    try {
      const bearer = await own();
      const missing = parameters.find((each) => each.in === "path" && !values[each.name]);
      if (missing) throw { message: `${missing.name} is part of the path: fill it in.` };
      const path = each.path.replace(/\{([^}]+)\}/g, (_, name) => encodeURIComponent(values[name]));
      const query = new URLSearchParams(parameters.filter((each) => each.in === "query" && values[each.name]).map((each) => [each.name, values[each.name]]));
      const hasBody = text && !["get", "delete"].includes(each.method);
      const started = performance.now();
      const response = await fetch(path + (query.size ? "?" + query : ""), { method: each.method.toUpperCase(), credentials: "omit",
        headers: { ...(bearer && { Authorization: `Bearer ${bearer}` }), ...(hasBody && { "Content-Type": "application/json" }) }, body: hasBody ? text : undefined });
      const received = await response.text();
      let shown = received;
      try { shown = JSON.stringify(JSON.parse(received), null, 2); } catch { /* no JSON */ }
      setAnswer({ status: response.status, milliseconds: performance.now() - started, text: shown, id: response.headers.get("X-Request-ID") });
    } catch (error) { setError(error); }
    setBusy(false);
  };
  return html`<section class="card stack"><form class="stack" onSubmit=${run}>
      <div class="row"><h2 class="grow">Try it</h2></div>
      ${me.role === "owner" ? html`<${Field} label="As" hint="A token of one minute is made for the account; that is in the audit. Empty: without a token."><input list="try-as" placeholder="address of an account" value=${as} onInput=${(event) => { setAs(event.target.value); setToken(""); }} /><datalist id="try-as">${(users.data || []).map((user) => html`<option value=${user.email || user.id} />`)}</datalist><//>`
        : html`<${Field} label="Token" hint="Only owners act as users; paste a token of your own."><input value=${token} autocomplete="off" onInput=${(event) => setToken(event.target.value)} /><//>`}
      ${parameters.length > 0 && html`<div class="try-parameters">${parameters.map((parameter) => html`<${Field} label=${parameter.name + (parameter.required ? " *" : "")}><input value=${values[parameter.name] || ""} onInput=${(event) => setValues({ ...values, [parameter.name]: event.target.value })} /><//>`)}</div>`}
      ${body && html`<${Field} label="Body"><textarea rows=${Math.min(14, text.split("\n").length + 1)} value=${text} onInput=${(event) => setText(event.target.value)}></textarea><//>`}
      <div class="row"><button class="button primary" disabled=${busy}><${Icon} name="play" /><span>${busy ? "Sending …" : "Send"}</span></button></div></form>
    <${Fault} error=${error} />
    ${answer && html`<div class="stack"><div class="row"><${Tag} kind=${answer.status < 300 ? "good" : answer.status < 500 ? "warn" : "bad"}>${answer.status}<//><span class="dim">${answer.milliseconds.toFixed(0)} ms</span>${answer.id && html`<a href=${link(["logs"], { id: answer.id })}>In the logs</a>`}</div>${answer.text && html`<${Code} label="Answer">${answer.text.slice(0, 200000)}<//>`}</div>`}
    <${Snippets} base=${location.origin} each=${each} values=${values} body=${text} token=${token || made || "$TOKEN"} />${made && html`<p class="dim">They hold the token of this try, which ends a minute after it.</p>`}</section>`;
}
