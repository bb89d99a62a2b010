// What the page shows stands in the part of its address behind '#', so that the browser's own way
// back works: '#class/Dog?query=age > 3', '#object/REF', '#history', '#schema', '#keys'.
import { show, select, flash, element } from './views.js';

export const state = { classes: [], isWritable: false, failure: null, view: null, commits: [] };

export async function ask(path, parameters = {}) {
  // Not by URLSearchParams: the server takes a plus for a plus, and not for a space.
  const fields = Object.entries(parameters).map(([name, value]) => name + '=' + encodeURIComponent(value));
  return read(await fetch(path + '?' + fields.join('&')));
}

export async function tell(path, body) {
  return read(await fetch(path, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
  }));
}

async function read(response) {
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  throw new Error(body.mistake ?? body.error?.message ?? 'The command responded with ' + response.status);
}

export function address(kind, name, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value);
  const text = new URLSearchParams(given).toString();
  return '#' + kind + (name ? '/' + encodeURIComponent(name) : '') + (text ? '?' + text : '');
}

function route() {
  const [path, query] = location.hash.slice(1).split('?');
  const [kind, name] = path.split('/');
  return {
    kind: kind || 'class', name: name && decodeURIComponent(name),
    parameters: Object.fromEntries(new URLSearchParams(query ?? '')),
  };
}

export async function render() {
  const view = route();
  if (view.kind === 'class' && !view.name) {
    view.name = state.classes.find((type) => !type.isEmbedded)?.name;
  }
  state.view = view;
  for (const link of document.querySelectorAll('nav a')) {
    const isCurrent = link.dataset.name ? link.dataset.name === view.name : link.hash === '#' + view.kind;
    link.classList.toggle('current', isCurrent);
  }
  await show(view);
}

function showClasses() {
  const list = document.getElementById('classes');
  list.replaceChildren(...state.classes.filter((type) => !type.isEmbedded).map((type) => {
    const link = element('a', { href: address('class', type.name) },
      element('span', {}, type.name), element('span', { class: 'count' }, String(type.count)));
    link.dataset.name = type.name;
    return element('li', {}, link);
  }));
}

function showCounts(counts) {
  for (const type of state.classes) {
    const count = counts[type.name];
    if (count === undefined || count === type.count) continue;
    type.count = count;
    const links = [...document.querySelectorAll('#classes a')];
    const shown = links.find((link) => link.dataset.name === type.name)?.querySelector('.count');
    if (!shown) continue;
    shown.textContent = String(count);
    flash(shown);
  }
}

// The last minute, a bar for each second: how many commits there were, and after how long the
// slowest of them was seen here.
function showCharts() {
  const now = Date.now() / 1000;
  state.commits = state.commits.filter((commit) => commit.time > now - 60);
  const counts = new Array(60).fill(0);
  const delays = new Array(60).fill(0);
  for (const { time, delay } of state.commits) {
    const second = 59 - Math.floor(Math.max(0, Math.min(59, now - time)));
    counts[second] += 1;
    delays[second] = Math.max(delays[second], delay ?? 0);
  }
  showBars('chart', counts, 1);
  showBars('delays', delays, 0.001);
  document.getElementById('rate').textContent = counts[58] + ' commits/s';
  const slowest = Math.max(...delays);
  document.getElementById('delay').textContent =
    slowest ? 'seen after ' + (1000 * slowest).toFixed(1) + ' ms' : '';
}

function showBars(id, values, least) {
  const most = Math.max(least, ...values);
  const chart = document.getElementById(id);
  chart.setAttribute('viewBox', '0 0 60 20');
  chart.setAttribute('preserveAspectRatio', 'none');
  chart.replaceChildren(...values.map((value, index) => {
    const bar = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    const height = value ? Math.max(1, 20 * value / most) : 0;
    for (const [name, value] of Object.entries({ x: index, y: 20 - height, width: .8, height })) {
      bar.setAttribute(name, value);
    }
    return bar;
  }));
}

// Changes that arrive together are shown by one request.
let due = null;
let touched = { modified: new Set(), inserted: new Set() };

function changed(commit) {
  state.commits.push({ time: commit.time, delay: commit.delay });
  document.getElementById('version').textContent = 'version ' + commit.version;
  showCounts(commit.counts);
  for (const change of Object.values(commit.changes)) {
    change.modified.forEach((ref) => touched.modified.add(ref));
    change.inserted.forEach((ref) => touched.inserted.add(ref));
  }
  due ??= setTimeout(async () => {
    due = null;
    const refs = new Set([...touched.modified, ...touched.inserted]);
    touched = { modified: new Set(), inserted: new Set() };
    await show(state.view, refs);
  }, 150);
}

let events = null;

function follow() {
  const live = document.getElementById('live');
  events = new EventSource('events');
  let isFirst = true;
  const say = (text) => {
    live.className = text === 'live' && !state.failure ? 'on' : '';
    live.textContent = state.failure ? 'not followed' : text;
    live.title = state.failure ?? '';
  };
  events.addEventListener('start', async () => {
    say('live');
    // Behind a pause there may be changes that no event tells of.
    if (!isFirst) await refresh();
    isFirst = false;
    say('live');
  });
  events.addEventListener('commit', (event) => changed(JSON.parse(event.data)));
  events.onerror = () => say('not connected');
}

// A browser has six connections to a server at most, and a page that follows keeps one: those that
// nobody sees do not.
async function seen() {
  events?.close();
  events = null;
  if (document.hidden) return;
  follow();
  await refresh();
}

async function refresh() {
  const known = await ask('classes');
  state.failure = known.failure;
  showCounts(Object.fromEntries(known.classes.map((type) => [type.name, type.count])));
  document.getElementById('version').textContent = 'version ' + known.version;
  await show(state.view, new Set());
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.tagName === 'INPUT';
  if (event.key === 'Escape') {
    if (isTyping) event.target.blur(); else history.back();
    return;
  }
  if (isTyping) return;
  const actions = {
    '/': () => document.getElementById('query')?.focus(),
    j: () => select(1), ArrowDown: () => select(1), k: () => select(-1), ArrowUp: () => select(-1),
    n: () => document.getElementById('next')?.click(), p: () => history.back(),
    e: () => document.getElementById('explain')?.click(),
    h: () => { location.hash = '#history'; }, s: () => { location.hash = '#schema'; },
    '?': () => { location.hash = '#keys'; },
    Enter: () => document.querySelector('tr.selected a')?.click(),
  };
  const digit = Number(event.key);
  const links = document.querySelectorAll('#classes a');
  if (digit >= 1 && digit <= links.length) actions[event.key] = () => links[digit - 1].click();
  if (event.key === 'Enter' && event.target.closest('a, button')) return;
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

const known = await ask('classes');
state.classes = known.classes;
state.isWritable = known.isWritable;
state.failure = known.failure;
document.getElementById('store').textContent = known.store;
document.getElementById('version').textContent = 'version ' + known.version;
document.title = known.store.split('/').pop() + ' - realmactors';
showClasses();
showCharts();
setInterval(showCharts, 1000);
addEventListener('hashchange', render);
addEventListener('keydown', press);
document.addEventListener('visibilitychange', seen);
await render();
follow();
