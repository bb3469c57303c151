"""English words that say nothing about code.

FUNCTION_WORDS do not count in ranking while a query has other words. REPORT_WORDS occur in every question and
bug report: they count in ranking, but are never looked up as names. QUESTION_WORDS occur in questions of any
kind: it means nothing that no file has one of them.
ASKING_WORDS begin questions.
"""

from __future__ import annotations

_FUNCTION = """
a about above after again all also although always am an and any are as at be because been before being below
between both but by can cannot could did do does doing done during each either else even ever every few for
from had has have having he her here him his how however i if in instead into is it its itself just may me
might more most much must my neither no nor not now of off often on once only or other our out over own same
she should since so some such than that the their them then there therefore these they this those though
through to too under until up us very was we well were what when whenever where whereas wherever whether which
while who whom whose why will with within without would yet you your don doesn isn won
"""
_REPORT = """
anyone down further get gets getting give given go goes going got hers hi hello know let like look looks made
make makes need needs never ought please problem question really see seems several something still thank
thanks thing try trying use used uses using via want wants way work working works bug expected actual
behavior behaviour happens issue fix fixed add added change changed yours
"""
_QUESTION = """
across actually against along already among another anything around away become behind beside beyond bring
call called caller callers calling calls came choose chooses chose chosen class classes code come comes
concerning contain contained contains decide decided decides declaration declare declared declares define
defined defines definition describe described describes despite different enough everything exactly except
explain file files first found function functions gave gives gone handle handled handles happen happened
implement implementation implemented implements inside keep keeps kept known knows last later least less
likely list listed lists making many maybe mean means method methods module modules near needed nothing
occur occurs one otherwise package per perhaps pick picked picks project put rather repo repository say says
seem seen shall show shown shows source take taken takes tell tells things thus together told took toward
towards unless upon usually variable variables ways whatever whole
"""
FUNCTION_WORDS = frozenset(_FUNCTION.split())
REPORT_WORDS = frozenset(_REPORT.split())
STOP_WORDS = FUNCTION_WORDS | REPORT_WORDS
ASKING_WORDS = frozenset(["how", "what", "where", "which", "who", "whom", "whose", "why"])
QUESTION_WORDS = STOP_WORDS | frozenset(_QUESTION.split())
