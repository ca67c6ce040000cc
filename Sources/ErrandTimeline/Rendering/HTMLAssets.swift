/// The style and the script of a page.
enum HTMLAssets {
    static let style = """
        :root{color-scheme:light dark;--text:#1f2328;--soft:#59636e;--back:#f6f8fa;--card:#fff;--line:#d8dee4;--strong:#0969da}
        @media (prefers-color-scheme:dark){
        :root{--text:#e6edf3;--soft:#9198a1;--back:#010409;--card:#0d1117;--line:#30363d;--strong:#4493f8}}
        *{box-sizing:border-box}
        body{margin:0;padding:24px;background:var(--back);color:var(--text);font:14px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,
        'Helvetica Neue','Noto Sans',Arial,sans-serif}
        header,main,.tools{max-width:1400px;margin:0 auto}
        header{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 16px}
        h1{margin:0;font-size:22px;overflow-wrap:anywhere}
        header p{margin:0;color:var(--soft)}
        .tools{display:flex;flex-wrap:wrap;align-items:center;gap:8px 14px;padding:12px 0}
        .tools[hidden]{display:none}
        input[type=search],button{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:6px;
        padding:4px 10px}
        input[type=search]{width:220px;max-width:100%}
        button{min-width:34px;cursor:pointer}
        button:hover{border-color:var(--strong)}
        :focus-visible{outline:2px solid var(--strong);outline-offset:1px}
        .hint{color:var(--soft);font-size:12px}
        .picture{overflow-x:auto}
        .picture svg{display:block;width:100%;min-width:640px;height:auto}
        .zoomable .b,.zoomable .h{cursor:grab}
        .r:focus{outline:none}
        .errand .r:focus-visible .h{stroke:var(--strong);stroke-width:1.5}
        details{margin-top:16px}
        summary{cursor:pointer;color:var(--soft)}
        .scroll{overflow-x:auto;margin-top:8px;border:1px solid var(--line);border-radius:8px;background:var(--card)}
        table{border-collapse:collapse;width:100%;font-size:13px}
        th,td{padding:5px 10px;text-align:left;white-space:nowrap;border-bottom:1px solid var(--line);font-weight:400}
        tbody tr:last-child>*{border-bottom:0}
        thead th{color:var(--soft);font-size:12px}
        tbody th{font-weight:500}
        .number{font-variant-numeric:tabular-nums;text-align:right}
        thead th:nth-child(n+3){text-align:right}
        .url{max-width:420px;overflow:hidden;text-overflow:ellipsis;color:var(--soft)}
        #panel{position:fixed;z-index:1;max-width:min(460px,calc(100vw - 16px));padding:10px 12px;border:1px solid var(--line);border-radius:8px;
        background:var(--card);box-shadow:0 6px 24px rgba(0,0,0,.22);font-size:12.5px;pointer-events:none;overflow-wrap:anywhere}
        #panel[hidden]{display:none}
        #panel strong{display:block;font-size:13.5px}
        #panel p{margin:2px 0 0;color:var(--soft)}
        #panel ul{list-style:none;margin:8px 0 0;padding:0}
        #panel li{display:flex;align-items:center;gap:8px}
        #panel li.here{font-weight:600}
        #panel svg{flex:none;width:11px;height:11px}
        """

    static let tools = """
        <div class="tools" hidden>
        <input type="search" id="filter" placeholder="Filter" aria-label="Show only rows that contain this text">
        <label><input type="checkbox" id="bad"> only failures</label>
        <span><button id="in" aria-label="Zoom in">+</button> <button id="out" aria-label="Zoom out">−</button>
        <button id="all">all</button></span>
        <span class="hint">Ctrl and wheel zoom, dragging moves</span>
        <span class="hint" id="shown" role="status"></span>
        </div>
        """

    static let script = #"""
        "use strict";
        (() => {
          const space = "http://www.w3.org/2000/svg";
          const svg = document.querySelector(".picture svg");
          const panel = document.getElementById("panel");
          const byID = id => document.getElementById(id);
          const rows = [...svg.querySelectorAll(".r")];
          const left = +svg.dataset.left, width = +svg.dataset.width, length = +svg.dataset.length;
          if (!rows.length) return;
          document.querySelector(".tools").hidden = false;
          svg.classList.add("zoomable");

          // Tooltips are shown in the panel instead.
          const titles = new Map();
          for (const title of svg.querySelectorAll(".r title")) {
            titles.set(title.parentNode, title.textContent);
            title.remove();
          }
          const whole = svg.querySelector(":scope > title");
          if (whole) { svg.setAttribute("aria-label", whole.textContent); svg.removeAttribute("aria-labelledby"); whole.remove(); }

          // Rows
          const first = +rows[0].getAttribute("transform").match(/ (\S+)\)/)[1];
          const tail = svg.querySelector(".end");
          const background = svg.querySelector(".bg");
          const height = 26;
          const stack = () => {
            const text = byID("filter").value.trim().toLowerCase(), onlyBad = byID("bad").checked;
            const isShown = new Array(rows.length).fill(false);
            rows.forEach((row, index) => {
              const isBad = row.dataset.end === "failed" || row.dataset.end === "cancelled";
              if (onlyBad && !isBad) return;
              if (text && !(titles.get(row) || "").toLowerCase().includes(text)) return;
              isShown[index] = true;
              // Along with its ancestors.
              let depth = +row.dataset.depth;
              for (let above = index - 1; above >= 0 && depth > 0; above--) {
                if (+rows[above].dataset.depth < depth) { depth = +rows[above].dataset.depth; isShown[above] = true; }
              }
            });
            let y = first, count = 0;
            rows.forEach((row, index) => {
              row.style.display = isShown[index] ? "" : "none";
              if (!isShown[index]) return;
              row.setAttribute("transform", `translate(0 ${y})`);
              y += height;
              count++;
            });
            if (tail) { tail.setAttribute("y", y + 17); y += height; }
            const total = y + 14;
            svg.setAttribute("viewBox", `0 0 ${svg.viewBox.baseVal.width} ${total}`);
            svg.setAttribute("height", total);
            background.setAttribute("height", total - 1);
            for (const line of svg.querySelectorAll(".grid path")) {
              line.setAttribute("d", line.getAttribute("d").replace(/V.*/, "V" + y));
            }
            bottom = y;
            byID("shown").textContent = count === rows.length ? "" : `${count} of ${rows.length} rows`;
          };

          // Zoom
          const clip = document.createElementNS(space, "clipPath");
          clip.id = "errand-plot";
          const frame = document.createElementNS(space, "rect");
          for (const [name, value] of Object.entries({ x: left - 2, y: 0, width: width + 4, height })) frame.setAttribute(name, value);
          clip.append(frame);
          svg.append(clip);
          const shapes = [];
          for (const bar of svg.querySelectorAll(".b")) {
            bar.setAttribute("clip-path", "url(#errand-plot)");
            for (const shape of bar.children) {
              const { from, to, at } = shape.dataset;
              shapes.push({ shape, from: +from, to: +to, at: +at, x: +shape.getAttribute("x"), isMark: at !== undefined });
            }
          }
          let view = [0, length], bottom = 0, isWaiting = false;
          const place = time => left + (time - view[0]) / (view[1] - view[0]) * width;
          for (const item of shapes) item.shift = item.isMark ? item.x - place(item.at) : 0;
          const units = [["h", 3600e9], ["min", 60e9], ["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];
          const steps = [];
          for (let power = 1; power < 1e9; power *= 10) steps.push(power, 2 * power, 5 * power);
          steps.push(...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400].map(s => s * 1e9));
          const drawGrid = () => {
            const grid = svg.querySelector(".grid"), most = Math.max(2, width / 70), seen = view[1] - view[0];
            let step = steps.find(step => seen / step <= most) || 86400e9;
            while (seen / step > most) step *= 2;
            const [name, size] = units.find(([, size]) => step >= size && step % size === 0) || units[5];
            const top = +grid.querySelector("path").getAttribute("d").match(/ (\S+?)V/)[1];
            grid.replaceChildren();
            for (let number = Math.ceil(view[0] / step); number * step <= view[1]; number++) {
              const line = document.createElementNS(space, "path"), label = document.createElementNS(space, "text");
              const x = place(number * step).toFixed(1);
              line.setAttribute("class", "gr");
              line.setAttribute("d", `M${x} ${top}V${bottom}`);
              label.setAttribute("class", "ax");
              label.setAttribute("x", x);
              label.setAttribute("y", top - 5);
              label.textContent = number ? `${number * step / size} ${name}` : "0";
              grid.append(line, label);
            }
          };
          const draw = () => {
            isWaiting = false;
            for (const { shape, from, to, at, x, shift, isMark } of shapes) {
              if (isMark && shape.tagName === "path") {
                shape.setAttribute("transform", `translate(${place(at) - left - at / length * width} 0)`);
              } else if (isMark) {
                shape.setAttribute("x", place(at) + shift);
              } else {
                // Far outside the visible range, coordinates can be clamped.
                const start = Math.max(place(from), left - 9), end = Math.min(place(to), left + width + 9);
                const least = shape.classList.contains("t") || shape.classList.contains("g") ? 2 : 0.4;
                if (shape.tagName === "line") {
                  shape.setAttribute("x1", start);
                  shape.setAttribute("x2", Math.max(end, start + 2));
                } else {
                  shape.setAttribute("x", start);
                  shape.setAttribute("width", Math.max(end - start, place(to) < left || place(from) > left + width ? 0 : least));
                }
              }
            }
            drawGrid();
          };
          const show = (from, to) => {
            const seen = Math.min(Math.max(to - from, Math.min(10, length)), length);
            const start = Math.min(Math.max(from, 0), length - seen);
            view = [start, start + seen];
            if (!isWaiting) { isWaiting = true; requestAnimationFrame(draw); }
          };
          const zoom = (factor, center = (view[0] + view[1]) / 2) => {
            show(center - (center - view[0]) / factor, center + (view[1] - center) / factor);
          };
          const timeAt = event => {
            const box = svg.getBoundingClientRect();
            const x = (event.clientX - box.left) / box.width * svg.viewBox.baseVal.width;
            return view[0] + (x - left) / width * (view[1] - view[0]);
          };
          byID("in").onclick = () => zoom(2);
          byID("out").onclick = () => zoom(0.5);
          byID("all").onclick = () => show(0, length);
          svg.addEventListener("wheel", event => {
            if (!event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            zoom(Math.exp(-event.deltaY / 300), timeAt(event));
          }, { passive: false });
          let grip = null;
          svg.addEventListener("pointerdown", event => { grip = { x: event.clientX, view: [...view] }; });
          addEventListener("pointerup", () => { grip = null; });
          addEventListener("pointermove", event => {
            if (!grip) return;
            const scale = svg.viewBox.baseVal.width / svg.getBoundingClientRect().width;
            const by = (grip.x - event.clientX) * scale / width * (grip.view[1] - grip.view[0]);
            show(grip.view[0] + by, grip.view[1] + by);
          });

          // The panel
          const tell = (row, target, x, y) => {
            const lines = (titles.get(row) || "").split("\n");
            const head = document.createElement("strong");
            head.textContent = lines[0];
            panel.replaceChildren(head, ...lines.slice(1).map(line => {
              const part = document.createElement("p");
              part.textContent = line;
              return part;
            }));
            const list = document.createElement("ul");
            for (const phase of row.querySelectorAll("[class^=p-]")) {
              const item = document.createElement("li"), key = document.createElementNS(space, "svg");
              const box = document.createElementNS(space, "rect");
              key.setAttribute("class", "errand");
              key.setAttribute("viewBox", "0 0 11 11");
              box.setAttribute("class", phase.getAttribute("class"));
              box.setAttribute("width", 11);
              box.setAttribute("height", 11);
              box.setAttribute("rx", 2);
              key.append(box);
              if (phase === target) item.className = "here";
              item.append(key, titles.get(phase) || "");
              list.append(item);
            }
            if (list.children.length && list.children.length <= 24) panel.append(list);
            panel.hidden = false;
            const box = panel.getBoundingClientRect();
            panel.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - box.width - 8))}px`;
            panel.style.top = `${y + 18 + box.height > innerHeight ? Math.max(8, y - box.height - 12) : y + 18}px`;
          };
          const hide = () => { panel.hidden = true; };
          for (const row of rows) {
            row.setAttribute("tabindex", "0");
            row.setAttribute("role", "img");
            row.setAttribute("aria-label", titles.get(row) || "");
            row.addEventListener("pointermove", event => grip ? hide() : tell(row, event.target, event.clientX, event.clientY));
            row.addEventListener("pointerleave", hide);
            row.addEventListener("focus", () => {
              if (!row.matches(":focus-visible")) return;
              const box = row.getBoundingClientRect();
              tell(row, null, box.left + 200, box.bottom - 12);
            });
            row.addEventListener("blur", hide);
          }
          svg.setAttribute("role", "group");
          addEventListener("keydown", event => { if (event.key === "Escape") hide(); });
          byID("filter").addEventListener("input", stack);
          byID("bad").addEventListener("change", stack);
          stack();
          draw();
        })();
        """#
}
