# The public names, each with its module: type checkers read this, and so does `__init__.py`.

from acap.audits.engines import BatchAuditor as BatchAuditor
from acap.audits.rows import audit as audit
from acap.combine import decide as decide
from acap.combine import decide_each as decide_each
from acap.conditions import Condition as Condition
from acap.crawlers import Crawler as Crawler
from acap.decision import SEMANTICS as SEMANTICS
from acap.decision import Cited as Cited
from acap.decision import Decision as Decision
from acap.decision import Decisions as Decisions
from acap.decision import Lost as Lost
from acap.decision import Outcome as Outcome
from acap.decision import Reason as Reason
from acap.dialects.ai_txt import AiTxt as AiTxt
from acap.dialects.ai_txt import parse_ai_txt as parse_ai_txt
from acap.dialects.cawg import TrainingMining as TrainingMining
from acap.dialects.cawg import parse_training_mining as parse_training_mining
from acap.dialects.cawg import read_manifest as read_manifest
from acap.dialects.response import ResponsePolicy as ResponsePolicy
from acap.dialects.response import parse_response as parse_response
from acap.dialects.rsl.associations import RslLicences as RslLicences
from acap.dialects.rsl.policy import RslDocument as RslDocument
from acap.dialects.rsl.policy import parse_rsl as parse_rsl
from acap.dialects.rsl.writing import write_rsl as write_rsl
from acap.dialects.tdmrep import TdmPolicy as TdmPolicy
from acap.dialects.tdmrep import TdmrepFile as TdmrepFile
from acap.dialects.tdmrep import parse_tdm_policy as parse_tdm_policy
from acap.dialects.tdmrep import parse_tdmrep as parse_tdmrep
from acap.licensee import Licensee as Licensee
from acap.pages.embedded import EmbeddedPolicy as EmbeddedPolicy
from acap.pages.embedded import parse_embedded as parse_embedded
from acap.pages.page import PagePolicy as PagePolicy
from acap.pages.page import parse_page as parse_page
from acap.pages.writing import PageStatements as PageStatements
from acap.pages.writing import page_statements as page_statements
from acap.problems import Problem as Problem
from acap.publish.compare import Comparison as Comparison
from acap.publish.compare import compare as compare
from acap.restrictions import Facts as Facts
from acap.restrictions import Restriction as Restriction
from acap.retrieval import AsyncRetriever as AsyncRetriever
from acap.retrieval import Retriever as Retriever
from acap.robots import Limits as Limits
from acap.robots import RobotsPolicy as RobotsPolicy
from acap.robots import parse_robots as parse_robots
from acap.robots import parse_robots_many as parse_robots_many
from acap.sites.policy import SitePolicy as SitePolicy
from acap.sites.site import AsyncSite as AsyncSite
from acap.sites.site import Site as Site
from acap.statement import Source as Source
from acap.statement import Statement as Statement
from acap.table import PolicyTable as PolicyTable
from acap.table import decide_table as decide_table

__version__: str
__all__: list[str]
