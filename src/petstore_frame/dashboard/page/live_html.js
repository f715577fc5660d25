// Makes figures and tables interactive: tooltips, clicks, edits, arrow keys, file uploads and
// downloads. Python creates and escapes the markup, which is also complete without this script.
// The script inserts all other text as plain text, and contacts no server.
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const REACH = 14; // pixels around a small mark that still select it
const delivered = new WeakSet(); // files already saved by another view of the same model

const zoneOf = (node) => node.closest?.(".pf-chart, .pf-grid");
const marksOf = (zone) => [...zone.querySelectorAll(".pf-mark")];

// The data attributes of an element and of its ancestors within the widget.
function dataOf(element) {
  const attributes = {};
  for (let node = element; node && !node.matches(".pf-live"); node = node.parentElement)
    for (const [name, value] of Object.entries(node.dataset)) attributes[name] ??= value;
  const { name: figure, series, ...data } = attributes;
  return Object.keys(data).length ? { figure, ...data } : null;
}

// A text that identifies an element again after an update of the markup.
const identityOf = (node) => [node.tagName, node.getAttribute("class"), JSON.stringify(dataOf(node))].join();

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// Converts an SVG to a PNG if the file name ends in .png, at double size for sharp screens.
async function receive(message, buffers) {
  if (!message.file || delivered.has(message)) return;
  delivered.add(message);
  const type = /\.(svg|png)$/.test(message.file) ? "image/svg+xml" : "application/octet-stream";
  const blob = new Blob([buffers[0]], { type });
  if (!message.file.endsWith(".png")) return save(blob, message.file);
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = URL.createObjectURL(blob);
  await image.decode();
  [canvas.width, canvas.height] = [2 * image.naturalWidth, 2 * image.naturalHeight];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((png) => save(png, message.file));
}

// The nearest mark in the direction of an arrow key; sideways distance counts 30 times.
function neighbor(from, marks, [dx, dy]) {
  const here = from.getBoundingClientRect();
  let best = null, least = Infinity;
  for (const mark of marks) {
    const box = mark.getBoundingClientRect();
    const right = (box.left + box.right - here.left - here.right) / 2;
    const down = (box.top + box.bottom - here.top - here.bottom) / 2;
    const aside = dx ? Math.max(box.top - here.bottom, here.top - box.bottom, 0)
      : Math.max(box.left - here.right, here.left - box.right, 0);
    const along = right * dx + down * dy, cost = along + 30 * aside;
    if (along > 1 && cost < least) [best, least] = [mark, cost];
  }
  return best;
}

// The mark or button under the pointer; in a drawing also the nearest mark within reach.
function markAt({ target, clientX: x, clientY: y }) {
  const direct = target.closest(".pf-mark, button");
  if (direct || !target.closest("svg")) return direct;
  let best = null, least = REACH;
  for (const mark of marksOf(zoneOf(target))) {
    const box = mark.getBoundingClientRect();
    const far = Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
    if (far < least) [best, least] = [mark, far];
  }
  return best;
}

// Makes a mark the only Tab stop of its drawing or table; arrow keys move within it.
function enter(mark) {
  for (const other of marksOf(zoneOf(mark))) other.tabIndex = other === mark ? 0 : -1;
}

function prepare(root) {
  for (const svg of root.querySelectorAll(".pf-chart > svg")) svg.setAttribute("role", "group");
  for (const mark of marksOf(root)) {
    const title = mark.querySelector(":scope > title"), data = dataOf(mark);
    if (title) mark.setAttribute("aria-label", title.textContent);
    title?.remove(); // the tooltip shows the text immediately
    if (data || title) mark.setAttribute("role", data ? "button" : "img");
    mark.classList.toggle("pf-can", !!data);
  }
  for (const zone of root.querySelectorAll(".pf-chart, .pf-grid")) {
    const first = zone.querySelector(".pf-can") ?? marksOf(zone)[0];
    if (first) enter(first);
  }
}

// Shows times in the user's time zone; the tooltip keeps UTC.
const TIME = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" };
function localize(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([data-local])")) {
    time.dataset.local = "";
    time.textContent = `${new Date(time.dateTime).toLocaleString(undefined, TIME)} (your time)`;
  }
}

// Each widget runs a copy of this script, so an attribute of the page marks that one is watching.
function watchDashboard(model, dashboard) {
  if (!dashboard || "watched" in dashboard.dataset) return;
  dashboard.dataset.watched = "";
  watchConnection(model, dashboard);
  localize(dashboard);
  new MutationObserver(() => localize(dashboard)).observe(dashboard, { childList: true, subtree: true });
}

// After a lost connection, asks Python for the state of all widgets, because messages may be lost.
// While there is no answer, or if the page has not got all widgets, a banner says so.
const PING_EVERY_MS = 3_000, GAP_MS = 8_000, LOST_AFTER_MS = 15_000;
const LOST = "The connection was lost. Animals that were already sent are in the store; "
  + "after a reload, the Import tab continues with your file and answers.";
function watchConnection(model, dashboard) {
  let answeredAt = Date.now(), banner = null, checkedAt = Date.now(), isBroken = false;
  const manager = model.widget_manager, redraw = () => model.send({ redraw: 1 });
  manager?.kernel?.connectionStatusChanged?.connect((_, status) => { if (status === "connected") redraw(); });
  const showBanner = () => {
    const isLost = isBroken || Date.now() - answeredAt > LOST_AFTER_MS;
    if (isLost && !banner) dashboard.prepend(banner = lostBanner());
    if (!isLost) { banner?.remove(); banner = null; }
  };
  model.on("msg:custom", (message) => {
    if (message.widgets) {
      isBroken ||= !forgetLostMessages(manager, message.widgets);
      showBanner();
    }
    if (!message.pong) return;
    if (Date.now() - answeredAt > GAP_MS) redraw();
    answeredAt = Date.now();
  });
  const timer = setInterval(() => {
    if (!dashboard.isConnected) return clearInterval(timer);
    // A page that slept has not asked meanwhile.
    if (Date.now() - checkedAt > GAP_MS) answeredAt = Math.max(answeredAt, Date.now() - GAP_MS - 1);
    checkedAt = Date.now();
    try { model.send({ ping: 1 }); } catch { /* the connection is closed, which shows below */ }
    showBanner();
  }, PING_EVERY_MS);
}

// Returns whether the page has all widgets. ipywidgets keeps the changes of a widget back until its
// last message is answered; if the answer was lost, that would be forever.
function forgetLostMessages(manager, ids) {
  if (!manager?.has_model) return true;
  for (const id of ids.filter((id) => manager.has_model(id)))
    manager.get_model(id).then((widget) => { [widget._pending_msgs, widget._msg_buffer] = [0, null]; });
  return ids.every((id) => manager.has_model(id));
}
function lostBanner() {
  const banner = document.createElement("div"), button = document.createElement("button");
  banner.className = "pf-lost";
  banner.setAttribute("role", "alert");
  banner.textContent = LOST;
  button.textContent = "Reload";
  button.className = "jupyter-button mod-primary";
  button.addEventListener("click", () => location.reload());
  banner.append(button);
  return banner;
}

// Highlights the marks of the selected pets.
function highlight(root, selected) {
  for (const mark of root.querySelectorAll(".pf-grid .pf-mark")) {
    const data = dataOf(mark) ?? {};
    const isSelected = selected.some((entry) =>
      Object.entries(entry).every(([name, value]) => data[name] === value));
    mark.classList.toggle("pf-selected", isSelected);
    if (data && "status" in data) mark.setAttribute("aria-pressed", String(isSelected));
  }
}

// Hides the options of a menu that do not contain the text.
function search(box) {
  const text = box.value.trim().toLowerCase();
  for (const option of box.closest(".pf-menu").querySelectorAll("label"))
    option.hidden = !option.textContent.toLowerCase().includes(text);
}

// Uploads a dropped or pasted file; for a file that is too large, only its name and size.
async function upload(model, file) {
  const content = file.size > model.get("largest") ? [] : [await file.arrayBuffer()];
  model.send({ upload: file.name, size: file.size }, undefined, content);
}

function render({ model, el }) {
  const root = document.createElement("div"), tip = document.createElement("div");
  root.className = "pf-live";
  root.dataset.lmSuppressShortcuts = "true"; // disables the notebook's keyboard shortcuts here
  tip.className = "pf-tip";
  tip.hidden = true;
  el.style.position = "relative"; // the origin for the position of the tooltip
  el.append(root, tip);

  const show = (mark) => {
    tip.hidden = !mark?.matches(".pf-mark") || !mark.ariaLabel;
    if (tip.hidden) return;
    tip.textContent = mark.ariaLabel;
    const box = mark.getBoundingClientRect(), frame = el.getBoundingClientRect();
    const left = box.left + box.width / 2 - frame.left - tip.offsetWidth / 2;
    tip.style.left = `${Math.max(0, Math.min(left, frame.width - tip.offsetWidth))}px`;
    // Below the mark, because the legend may be above.
    const below = box.bottom - frame.top + 6;
    const hasRoom = below + tip.offsetHeight < frame.height;
    tip.style.top = `${hasRoom ? below : box.top - frame.top - tip.offsetHeight - 6}px`;
  };
  // Answers of a form that Python has not handled yet, with the number of their message.
  const pending = new Map();
  let sent = model.get("handled") ?? 0;
  const send = (data) => { sent += 1; model.send(data); };
  const act = (element) => {
    const data = element && dataOf(element);
    if (data) send(data);
    return data;
  };
  const isText = (node) => node && node.matches?.("input[type=text]");
  const update = () => {
    const focused = root.contains(document.activeElement) && document.activeElement;
    const focusedIdentity = focused && identityOf(focused);
    const typed = isText(focused) && focused.value !== focused.defaultValue
      ? { value: focused.value, from: focused.selectionStart, to: focused.selectionEnd } : null;
    const opened = [...root.querySelectorAll("details[open]")].map(identityOf);
    const searched = root.querySelector(".pf-search")?.value;
    show(null);
    root.innerHTML = model.get("markup");
    prepare(root);
    highlight(root, model.get("selected"));
    for (const fold of root.querySelectorAll("details")) fold.open ||= opened.includes(identityOf(fold));
    for (const [identity, answer] of pending) {
      if (answer.number <= (model.get("handled") ?? 0)) { pending.delete(identity); continue; }
      const control = [...root.querySelectorAll("input, select")].find((node) => identityOf(node) === identity);
      if (control?.type === "checkbox") control.checked = answer.value === "on";
      else if (control) control.value = answer.value;
    }
    const box = root.querySelector(".pf-search");
    if (box && searched) { box.value = searched; search(box); }
    if (!focusedIdentity) return;
    const focusable = root.querySelectorAll("[tabindex], button, input, select, summary");
    const restored = [...focusable].find((node) => identityOf(node) === focusedIdentity);
    if (restored?.matches(".pf-mark") && zoneOf(restored)) enter(restored);
    if (typed && isText(restored)) { restored.value = typed.value; restored.setSelectionRange(typed.from, typed.to); }
    restored?.focus();
  };

  root.addEventListener("pointermove", (event) => {
    const mark = markAt(event);
    show(mark);
    root.classList.toggle("pf-over", !!mark?.matches(".pf-can"));
  });
  root.addEventListener("pointerleave", () => show(null));
  root.addEventListener("focusin", ({ target }) => { if (target.matches(":focus-visible")) show(target); });
  root.addEventListener("focusout", () => show(null));
  root.addEventListener("click", (event) => {
    if (!event.target.closest("input, label, select, summary")) act(markAt(event));
  });
  root.addEventListener("input", ({ target }) => { if (target.matches(".pf-search")) search(target); });
  // Reports an edited cell or a changed checkbox.
  root.addEventListener("change", ({ target }) => {
    const data = target.matches("input, select") && dataOf(target);
    if (!data) return;
    const value = target.type === "checkbox" ? (target.checked ? "on" : "off") : target.value;
    send({ ...data, value });
    if (model.get("handled") !== undefined) pending.set(identityOf(target), { number: sent, value });
  });
  const closeMenu = ({ target }) => {
    if (!root.contains(target)) root.querySelector("details.pf-menu[open]")?.removeAttribute("open");
  };
  document.addEventListener("pointerdown", closeMenu);
  root.addEventListener("keydown", (event) => {
    const { target, key } = event, zone = zoneOf(target), isMark = target.matches(".pf-mark");
    const next = isMark && zone && ARROWS[key] && neighbor(target, marksOf(zone), ARROWS[key]);
    if (next) { enter(next); next.focus(); }
    else if (key === "Escape") return show(null);
    else if (key === "Enter" && isText(target)) target.dispatchEvent(new Event("change", { bubbles: true }));
    else if (!isMark || (key !== "Enter" && key !== " ") || !act(target)) return;
    event.preventDefault();
    event.stopPropagation(); // the notebook has its own shortcuts
  });
  root.addEventListener("paste", (event) => {
    const { target, clipboardData: { files, types } } = event;
    if (!target.matches(".pf-drop")) return;
    event.preventDefault();
    const name = `pasted ${new Date().toTimeString().slice(0, 8).replaceAll(":", ".")}.tsv`;
    const isText = types.includes("text/plain");
    if (isText) upload(model, new File([event.clipboardData.getData("text/plain")], name));
    else if (files.length) upload(model, files[0]);
  });
  // Accepts a file dropped anywhere on a tab with a drop area; otherwise the browser would open it.
  const drag = (event) => {
    const dropArea = root.querySelector(".pf-drop"), tab = el.closest(".pf-tab");
    if (!dropArea || !tab?.contains(event.target) || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation();
    dropArea.classList.toggle("pf-over", event.type === "dragover");
    if (event.type === "drop") upload(model, event.dataTransfer.files[0]);
  };
  for (const kind of ["dragover", "dragleave", "drop"]) document.addEventListener(kind, drag, true);
  const mark = () => highlight(root, model.get("selected"));
  // After a lost connection, shows the answers that Python has.
  const resume = ({ widgets }) => {
    if (!widgets) return;
    sent = model.get("handled") ?? 0;
    if (!pending.size) return; // a new drawing could swallow a click
    pending.clear();
    update();
  };
  const settle = () => { if (pending.size) update(); };
  model.on("change:markup", update);
  model.on("change:handled", settle);
  model.on("change:selected", mark);
  model.on("msg:custom", receive);
  model.on("msg:custom", resume);
  update();
  setTimeout(() => watchDashboard(model, el.closest(".pf-dash")), 100); // after it was added to the page
  return () => {
    document.removeEventListener("pointerdown", closeMenu);
    model.off("change:selected", mark);
    for (const kind of ["dragover", "dragleave", "drop"]) document.removeEventListener(kind, drag, true);
    model.off("change:markup", update);
    model.off("change:handled", settle);
    model.off("msg:custom", receive);
    model.off("msg:custom", resume);
  };
}

export default { render };
