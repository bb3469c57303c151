"""What is shown of functions that fail: their errors, so that many functions fit on a page."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

STEP = """    def step_{0}(self, parcel):
        self.first = parcel.first
        self.second = parcel.second
        self.third = self.first + self.second + parcel.third + parcel.fourth + parcel.fifth
        for part in parcel.parts:
            self.weight += part.weight * self.first * self.second * self.third
            self.height += part.height * self.first * self.second * self.third
            self.length += part.length * self.first * self.second * self.third
        if parcel.number == {0}:
            raise Refused{0}(
                "the parcel has the number {0}",
            )
        return self.first, self.second, self.third, self.weight, self.height, self.length


"""
ERRORS = "".join(f"class Refused{at}(Exception):\n    pass\n\n\n" for at in range(8))
CALLS = "".join(f"        self.step_{at}(parcel)\n" for at in range(8))
STEPS = "".join(map(STEP.format, range(8)))
SENDER = f"{ERRORS}class Sender:\n    def send_parcel(self, parcel):\n{CALLS}\n{STEPS}"


def test_the_errors_of_all_functions_are_shown_and_not_what_these_do_besides() -> None:
    report = Asked({"sender.py": SENDER}).ask("Which errors can `send_parcel` raise?")
    shown = {one.symbol.rpartition(".")[2]: one.excerpt for one in report.findings}
    for at in range(8):
        excerpt = shown[f"step_{at}"]
        assert f"if parcel.number == {at}:" in excerpt
        assert f"raise Refused{at}(" in excerpt
        assert f'"the parcel has the number {at}"' in excerpt
        assert "self.height" not in excerpt


ANSWER = """public class Answer
{
    public Exception ErrorException { get; set; }

    public Exception GetError(int code)
    {
        if (code == 1) return new LostException("the answer is lost", ErrorException);
        if (code == 2) throw ErrorException;
        return null;
    }

    public void Check(int code)
    {
        throw GetError(code);
    }
}

public class LostException : Exception { }
"""


def test_what_holds_the_cause_of_an_error_is_no_error_itself() -> None:
    claim = Asked({"Answer.cs": ANSWER}).ask("Which errors can `GetError` raise?").claim
    assert 'LostException "the answer is lost" (Answer.cs:7' in claim
    assert "what ErrorException holds (" in claim
    assert " ErrorException " not in claim.replace("what ErrorException holds", "")
