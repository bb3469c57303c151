"""The style of the report: one sheet, light or dark like the reader's system, in the system's fonts."""

from __future__ import annotations

STYLE = """
:root{--ink:#1d2430;--faint:#667085;--paper:#fff;--card:#f5f7fa;--line:#e3e8ef;--part:#2f6fde;
--whole:#d5e2f8;--left:#e2a33c;--good:#17803d;--bad:#b42318;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--faint:#98a2b3;--paper:#12161d;--card:#1b212b;
--line:#2c3442;--part:#6ea0ff;--whole:#26344f;--left:#d69a3a;--good:#5bd68a;--bad:#ff8a7a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:860px;margin:0 auto;padding:32px 20px}
h1{margin:0;font-size:28px;overflow-wrap:anywhere}
h2{margin:40px 0 12px;font-size:20px}h3{margin:24px 0 8px;font-size:15px}
p{margin:4px 0}code{font:13px ui-monospace,monospace}
.faint,footer{color:var(--faint)}footer{margin-top:48px;padding-top:12px;font-size:13px;
border-top:1px solid var(--line)}
.health b{text-transform:capitalize}.healthy b{color:var(--good)}.behind b,.incomplete b{color:var(--left)}
.missing b,.damaged b{color:var(--bad)}
.warning{margin:8px 0;padding:8px 12px;border-left:3px solid var(--left);background:var(--card)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(125px,1fr));gap:10px;margin:20px 0;padding:0;
list-style:none}
.tiles li{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 12px;
font-size:13px;color:var(--faint)}
.tiles b{display:block;font-size:20px;color:var(--ink);white-space:nowrap}
.bars,.legend{list-style:none;margin:0;padding:0;font-size:13px}
.bars li{display:grid;grid-template-columns:minmax(90px,22%) 1fr 130px;gap:10px;align-items:center;
line-height:24px}
.label{text-align:right;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.told{overflow-wrap:anywhere;line-height:18px}
i{print-color-adjust:exact}.track{display:grid;height:14px}.track i{grid-area:1/1;min-width:2px}
.strip{display:flex;gap:1px;height:26px}.strip i{min-width:2px}
.legend{display:flex;flex-wrap:wrap;gap:2px 18px;margin:6px 0 14px}
.legend i{display:inline-block;width:11px;height:11px;margin-right:6px}
.whole{background:var(--whole)}.part{background:var(--part)}.left-0{background:var(--left)}
.left-1{background:var(--bad)}.left-2{background:var(--faint)}.left-3{background:var(--good)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13px}
th,td{padding:5px 8px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{color:var(--faint);font-weight:600}td{overflow-wrap:anywhere}
.number{text-align:right;white-space:nowrap}td.steady{white-space:nowrap}
@media(max-width:640px){main{padding:20px 12px}.bars li{grid-template-columns:110px 1fr 80px;gap:6px}
td.steady{white-space:normal}th,td{padding:5px 4px}}
@media print{main{max-width:none}}
"""
