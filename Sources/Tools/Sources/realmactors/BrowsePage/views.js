// What stands in the middle of the page. Text of the store becomes text of the page and nothing
// else: every node is made here, and no HTML is parsed.
import { state, ask, tell, address } from './page.js';

export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== undefined && child !== null));
  return node;
}

export function flash(node) {
  node.classList.remove('flash');
  void node.offsetWidth;    // so that it begins anew
  node.classList.add('flash');
}

const main = () => document.getElementById('main');
let turn = 0;

/// Shows a view; with `refs`, those objects have changed since it was shown.
export async function show(view, refs) {
  turn += 1;
  const mine = turn;
  const views = { class: classView, object: objectView, history: historyView, schema: schemaView, keys: keysView };
  const make = views[view.kind] ?? keysView;
  if (refs && (make === schemaView || make === keysView)) return;
  let nodes;
  if (!refs) main().setAttribute('aria-busy', 'true');
  try {
    nodes = await make(view, refs ?? new Set());
  } catch (error) {
    if (view.kind === 'class') return mine === turn ? showMistake(view, error) : undefined;
    nodes = [element('pre', { class: 'wrong' }, error.message)];
  }
  // Somebody went on meanwhile.
  if (mine !== turn) return;
  const before = new Map(lines('tr[data-field]').map((row) => [row.dataset.field, row.textContent]));
  place(nodes, Boolean(refs));
  if (!refs) return;
  lines('tr[data-ref]').filter((row) => refs.has(row.dataset.ref)).forEach(flash);
  lines('tr[data-field]').filter((row) => before.get(row.dataset.field) !== row.textContent).forEach(flash);
}

function lines(selector) {
  return [...main().querySelectorAll(selector)];
}

/// Exchanges what is shown. What is shown anew keeps what somebody does there: the text and the place
/// in a line, the selected row, what has the focus, what is unfolded and how far it is scrolled.
function place(nodes, isAgain) {
  const focus = main().contains(document.activeElement) ? document.activeElement : null;
  const typed = focus?.tagName === 'INPUT' ? [focus.value, focus.selectionStart] : null;
  const selected = lines('tr.selected')[0]?.dataset.ref;
  const open = new Set(lines('details[open]').map((each) => each.dataset.id));
  const left = lines('.scroll')[0]?.scrollLeft ?? 0;
  main().removeAttribute('aria-busy');
  main().replaceChildren(...nodes);
  if (typed) {
    const input = document.getElementById(focus.id);
    if (isAgain && input) input.value = typed[0];
    input?.focus();
    input?.setSelectionRange(typed[1], typed[1]);
  }
  if (!isAgain) return;
  if (focus?.id && !typed) document.getElementById(focus.id)?.focus();
  if (focus?.hash) lines('a').find((link) => link.hash === focus.hash)?.focus({ preventScroll: true });
  lines('tr[data-ref]').find((row) => row.dataset.ref === selected)?.classList.add('selected');
  for (const each of lines('details')) each.open = open.has(each.dataset.id);
  if (lines('.scroll')[0]) lines('.scroll')[0].scrollLeft = left;
}

function bar(view) {
  const { parameters } = view;
  const query = element('input', {
    id: 'query', placeholder: "age > 3 AND owner.name == 'Ann' SORT(name ASC)", 'aria-label': 'Query',
    spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', value: parameters.query ?? '',
    onkeydown: (event) => {
      if (event.key !== 'Enter') return;
      location.hash = address('class', view.name, { query: query.value, explain: parameters.explain });
    },
  });
  const explain = element('button', {
    id: 'explain', 'aria-pressed': String(Boolean(parameters.explain)),
    onclick: () => {
      location.hash = address('class', view.name,
        { ...parameters, after: '', explain: parameters.explain ? '' : 'true' });
    },
  }, 'Explain');
  return [query, explain];
}

function showMistake(view, error) {
  const [query, explain] = bar(view);
  query.classList.add('wrong');
  place([
    element('h1', {}, view.name ?? 'No class'), element('div', { class: 'bar' }, query, explain),
    element('pre', { class: 'wrong', id: 'mistake', role: 'alert' }, error.message),
  ], false);
}

async function classView(view) {
  const type = state.classes.find((each) => each.name === view.name);
  if (!type) throw new Error('The store has no such class.');
  const { parameters } = view;
  const page = await ask('rows', { class: type.name, ...parameters });
  const next = element('button', {
    id: 'next', disabled: page.next ? undefined : 'disabled',
    onclick: () => { location.hash = address('class', type.name, { ...parameters, after: page.next }); },
  }, 'Next page');
  const head = type.properties.map((column) => {
    const isSorted = parameters.sort === column.name;
    const isDescending = isSorted && parameters.descending !== 'true';
    const mark = isSorted ? (parameters.descending === 'true' ? ' \u2193' : ' \u2191') : '';
    const label = column.name + mark;
    const sort = () => {
      location.hash = address('class', type.name,
        { ...parameters, after: '', sort: column.name, descending: isDescending ? 'true' : '' });
    };
    return element('th', { class: column.isNumeric ? 'number' : undefined, title: column.type },
      column.isOrdered ? element('button', { onclick: sort }, label) : label);
  });
  const rows = page.rows.map((row) => {
    const cells = row.cells.map((cell, index) => {
      const column = type.properties[index];
      return element('td', { class: column.isNumeric ? 'number' : undefined }, linked(cell));
    });
    const open = element('a', { href: address('object', row.ref), 'aria-label': 'Open' }, '\u203A');
    const line = element('tr', { onclick: (event) => choose(event, line) }, element('td', {}, open), ...cells);
    line.dataset.ref = row.ref;
    return line;
  });
  return [
    element('h1', {}, type.name, element('span', { class: 'dim', id: 'found' }, ' ' + page.count + ' objects')),
    element('div', { class: 'bar' }, ...bar(view), next),
    page.explanation ? planNode(page.explanation) : null,
    element('div', { class: 'scroll' }, element('table', { class: 'rows' },
      element('thead', {}, element('tr', {}, element('th', {}), ...head)), element('tbody', {}, ...rows))),
  ].filter(Boolean);
}

/// What `explain()` says, drawn: the steps in their order, and how many objects they examined.
function planNode(text) {
  const figures = text.match(/^(?:read (\d+) index entr(?:y|ies), )?scanned (\d+) of (\d+) objects, matched (\d+)$/m);
  const steps = text.split('\n').filter((line) => line !== figures?.[0]).map((line) => {
    const [, name, what] = line.match(/^([a-z]+): (.*)$/) ?? [null, '', line];
    return element('li', { class: name }, element('b', {}, name), element('span', {}, what));
  });
  const [, read, scanned, total, matched] = figures ?? [];
  const bars = [['read', read, read === '1' ? 'index entry' : 'index entries'], ['scanned', scanned, 'of ' + total], ['matched', matched, 'of ' + total]]
    .filter(([, count]) => count !== undefined)
    .map(([name, count, what]) => element('div', { class: 'figure' }, element('b', {}, name),
      element('meter', { min: 0, max: Math.max(1, Number(total)), value: count, 'aria-label': name }),
      element('span', {}, count + ' ' + what)));
  return element('section', { id: 'explanation' }, element('ol', {}, ...steps), ...bars);
}

/// The text of a value, as a link where it is one object.
function linked(value) {
  if (value.links?.length === 1 && value.links[0].text === value.text) return link(value.links[0]);
  return value.text;
}

function link(target) {
  return element('a', { href: address('object', target.ref), title: target.className }, target.text || '(empty)');
}

function choose(event, row) {
  if (event.target.closest('a')) return;
  lines('tr.selected').forEach((each) => each.classList.remove('selected'));
  row.classList.add('selected');
}

/// Moves the selection by rows.
export function select(step) {
  const rows = lines('tr[data-ref]');
  if (!rows.length) return;
  const now = rows.findIndex((row) => row.classList.contains('selected'));
  rows[now]?.classList.remove('selected');
  const next = rows[Math.max(0, Math.min(rows.length - 1, now < 0 ? 0 : now + step))];
  next.classList.add('selected');
  next.scrollIntoView({ block: 'nearest' });
}

async function objectView(view) {
  const object = await ask('object', { ref: view.name });
  const canWrite = state.isWritable && object.fields.some((field) => field.isKey);
  const rows = object.fields.map((field) => {
    const { links } = field.value;
    const value = links
      ? element('td', { class: 'value links' }, ...links.map((each) => link(each)))
      : element('td', { class: 'value' }, field.value.text);
    // A prompt has one line, of what can be typed.
    const isLine = field.exact !== undefined && !/[\x00-\x1f\x7f]/.test(field.exact);
    const edit = canWrite && !field.isKey && !links && isLine
      ? element('td', {}, element('button', { onclick: () => editField(object, field) }, 'Change')) : null;
    const line = element('tr', {}, element('td', {}, field.name),
      element('td', { class: 'dim' }, field.type + (field.isKey ? ', key' : '')), value, edit);
    line.dataset.field = field.name;
    return line;
  });
  const inverses = object.inverses.map((inverse) => element('section', {},
    element('h2', {}, inverse.className + '.' + inverse.property,
      element('span', { class: 'dim' }, ' leads here from ' + inverse.count)),
    element('div', { class: 'links inverse' }, ...inverse.links.map((each) => link(each)))));
  const remove = state.isWritable ? element('button', { onclick: () => deleteObject(object) }, 'Delete') : null;
  return [
    element('h1', {}, element('a', { href: address('class', object.className) }, object.className), ' ' + object.title),
    element('div', { class: 'scroll' }, element('table', { class: 'fields' }, element('tbody', {}, ...rows))),
    ...inverses, remove,
  ].filter(Boolean);
}

async function editField(object, field) {
  const text = prompt(object.className + ' ' + object.title + ', ' + field.name + ':', field.exact);
  if (text === null || text === field.exact) return;
  await attempt(() => tell('set', { ref: object.ref, property: field.name, text }));
}

async function deleteObject(object) {
  if (!confirm('Delete ' + object.className + ' ' + object.title + '?')) return;
  await attempt(() => tell('delete', { ref: object.ref }));
}

async function attempt(change) {
  try { await change(); } catch (error) { alert(error.message); }
}

// Who has the store open, and which versions are held: a process tells its own ones to nobody else, but
// page files that were removed and that it has open are kept for an old one.
async function holdersNode() {
  const { processes, own, versions } = await ask('holders');
  const held = versions.map((each) =>
    each.version + (each.seconds < 1 ? '' : ' for ' + Math.round(each.seconds) + ' s')).join(', ');
  const rows = (processes ?? []).map((each) => element('tr', {},
    element('td', { class: 'number' }, String(each.process)),
    element('td', {}, each.program + (each.process === own ? ' (this page)' : '')),
    element('td', {}, each.isWriter ? 'writes' : ''),
    element('td', { class: 'number' }, String(each.pageFiles)),
    element('td', { class: 'number' }, String(each.removedPageFiles)),
    element('td', { class: 'number' }, (each.removedPageBytes / 1048576).toFixed(1) + ' MiB'),
    element('td', {}, each.removedSince ? 'from before ' + new Date(each.removedSince).toLocaleString()
      : each.process === own ? held : '')));
  const columns = [['process', true], ['program'], [''], ['page files', true], ['removed', true],
    ['kept', true], ['versions held']];
  const head = columns.map(([name, isNumeric]) => element('th', { class: isNumeric ? 'number' : undefined }, name));
  return element('section', { id: 'holders' },
    element('h2', {}, 'Open in', element('span', { class: 'dim' },
      processes ? '' : ' processes that this system does not list')),
    element('div', { class: 'scroll' }, element('table', {},
      element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows))));
}

async function historyView(view) {
  const { parameters } = view;
  const [{ commits, next }, holders] = await Promise.all([ask('history', parameters), holdersNode()]);
  const older = element('button', {
    id: 'next', disabled: next ? undefined : 'disabled',
    onclick: () => { location.hash = address('history', '', { before: next }); },
  }, 'Older commits');
  const rows = commits.map((commit) => element('tr', {},
    element('td', { class: 'number' }, String(commit.version)),
    element('td', {}, new Date(commit.time * 1000).toLocaleString()),
    element('td', {}, commit.author ?? ''),
    element('td', { class: 'value' }, ...commit.changes.map((change) => changeNode(change, commit.version)))));
  const head = ['version', 'time', 'author', 'changes'].map((name) => element('th', {}, name));
  return [
    element('h1', {}, 'History', element('span', { class: 'dim' },
      parameters.before ? ' commits before version ' + parameters.before : ' the newest commits that the log has')),
    element('div', { class: 'bar' }, older),
    element('div', { class: 'scroll' }, element('table', {},
      element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows))),
    holders,
  ];
}

function changeNode(change, version) {
  const counts = [['+', change.inserted], ['~', change.modified], ['-', change.deleted]]
    .filter(([, count]) => count).map(([mark, count]) => mark + count).join(' ');
  const parts = [];
  const name = (entry) => JSON.stringify(entry.key ?? '#' + entry.row);
  for (const entry of change.entries.inserted) parts.push(['+ ' + name(entry), null, entry.values]);
  for (const entry of change.entries.modified) parts.push(['~ ' + name(entry), entry.oldValues, entry.values, entry.properties]);
  for (const entry of change.entries.deleted) parts.push(['- ' + name(entry), entry.oldValues, null]);
  const id = version + '/' + change.className;
  return element('details', { 'data-id': id }, element('summary', {}, change.className + ' ' + counts),
    ...parts.map(([title, old, now, properties]) => element('div', {}, title + ' ', ...values(old, now, properties))));
}

function values(old, now, properties) {
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {}), ...(properties ?? [])])].sort();
  return names.flatMap((name) => [
    element('span', { class: 'dim' }, ' ' + name + ' '),
    old && name in old ? element('del', {}, JSON.stringify(old[name])) : null,
    old && now && name in old && name in now ? ' ' : null,
    now && name in now ? element('ins', {}, JSON.stringify(now[name])) : null,
  ]).filter((node) => node !== null);
}

async function schemaView() {
  const image = element('img', { class: 'schema', src: 'schema.svg', alt: 'The classes and the links between them' });
  return [element('h1', {}, 'Schema'), element('div', { class: 'scroll' }, image)];
}

async function keysView() {
  const keys = [
    ['1 ... 9', 'a class'], ['/', 'the query; Enter runs it'], ['j k, arrows', 'the next and the last row'],
    ['Enter', 'opens the row'], ['Escape, p', 'back'], ['n', 'the next page'], ['e', 'explains the query'],
    ['h', 'history'], ['s', 'schema'], ['?', 'this list'],
  ];
  return [
    element('h1', {}, 'Keys'),
    element('table', { class: 'keys' }, element('tbody', {}, ...keys.map(([key, text]) => element('tr', {},
      element('td', {}, element('kbd', {}, key)), element('td', {}, text))))),
  ];
}
