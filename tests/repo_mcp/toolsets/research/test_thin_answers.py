"""An answer that says that nothing fits a question has room for it, and for no more."""

from __future__ import annotations

from repo_mcp.research.findings.records import Form, Group, Reading, Report, ResearchRequest
from repo_mcp.toolsets.research.report_record import cut_report


def test_what_lies_around_is_left_out_where_nothing_fits() -> None:
    places = tuple(f"Desk.take{at} (desk/orders.py:{at}-{at})" for at in range(90))
    groups = (Group("callers of take", places),)
    reading = Reading(Form.OPEN, "an open question, answered from its words")
    for is_thin in (True, False):
        report = Report(ResearchRequest("how?"), reading, 2, "Nothing.", groups, is_thin=is_thin)
        assert bool(cut_report(report, 0).result["surroundings"]) is not is_thin
