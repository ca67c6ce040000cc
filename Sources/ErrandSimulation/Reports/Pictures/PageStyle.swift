/// The style sheet of the page that shows a failing schedule, in light and dark mode.
enum PageStyle {
    /// The number of lane colors, which are used in turn.
    static let colours = 8

    static let sheet = """
        :root{color-scheme:light dark;--text:#1f2328;--soft:#59636e;--back:#fff;--line:#d8dee4;--bad:#b3001b;--mark:#ffe9a8}
        @media (prefers-color-scheme:dark){
        :root{--text:#e6edf3;--soft:#9198a1;--back:#0d1117;--line:#30363d;--bad:#ff8d85;--mark:#4d3b00}}
        *{box-sizing:border-box}
        body{margin:0;padding:24px;background:var(--back);color:var(--text);font:14px/1.4 system-ui,-apple-system,'Segoe UI',
        Roboto,'Helvetica Neue','Noto Sans',Arial,sans-serif}
        h1{margin:0 0 8px;font-size:20px;overflow-wrap:anywhere}
        p{margin:4px 0}
        code{font-family:ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
        pre{white-space:pre-wrap;overflow-wrap:anywhere}
        main{overflow-x:auto;margin:16px 0}
        table{border-collapse:collapse}
        th,td{padding:2px 8px;text-align:center;font-weight:400}
        td:not(:last-child){border-right:1px solid var(--line)}
        thead th{position:sticky;top:0;background:var(--back);border-bottom:1px solid var(--line);vertical-align:bottom}
        .key,summary{color:var(--soft)}
        thead th:first-child,tbody th,.what{text-align:left;white-space:nowrap;color:var(--soft);font-variant-numeric:tabular-nums}
        tr.switch{background:var(--mark)}
        tr.switch .what{color:var(--text)}
        tr.end td{border:0;border-top:2px solid var(--bad);text-align:left;padding-top:6px}
        .error,tr.end td{color:var(--bad);font-weight:600;white-space:pre-wrap;overflow-wrap:anywhere}
        .step{display:inline-block;min-width:34px;padding:1px 6px;border-radius:4px;color:#000;background:var(--c)}
        .step.k-actor{border-radius:12px}
        .step.switch{outline:2px solid var(--bad);outline-offset:1px}
        .l0{--c:#c9d1d9}.l1{--c:#88ccee}.l2{--c:#ddcc77}.l3{--c:#8fd3a5}
        .l4{--c:#e8a0b8}.l5{--c:#b9a6e8}.l6{--c:#f0b27a}.l7{--c:#7fd1c7}
        """
}
