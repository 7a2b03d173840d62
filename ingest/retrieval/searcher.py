"""Answer a question from one published state, by the access of now (DESIGN §3).

1. one row gives generation, epoch and fingerprint; the caller's groups for the prefilter
2. embed the question; both searches and the code lookup, filters inside each
3. one statement decides over the union of candidates, before fusion and again with the texts
4. too few left: ask deeper, at most three times
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ingest.catalog import documents, generations, principals
from ingest.catalog.database import Database
from ingest.catalog.decision import Verdict
from ingest.catalog.documents import Shown
from ingest.catalog.generations import Generation
from ingest.errors import GenerationGone, GenerationMismatch, Refused, TooManyGroups, Transient
from ingest.failpoints import failpoint
from ingest.model.codes import CodePattern
from ingest.model.principal import PUBLIC, Principal
from ingest.model.query import Answer, Hit, Question
from ingest.model.record import Candidate
from ingest.ports import EmbeddingModel
from ingest.retrieval.authorizer import Authorizer, SnapshotGone
from ingest.retrieval.fusion import Fused, fuse
from ingest.retrieval.legs import Asked, Legs


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """How far a search goes."""

    candidates: int = 50
    deepen_by: int = 4
    deepen_times: int = 3
    candidates_most: int = 1_000
    closure_limit: int = 2_000
    restarts: int = 5


@dataclass(frozen=True, slots=True)
class Searcher:
    """Answers questions from the active generation. `legs_of` opens the stores of a generation."""

    database: Database
    model: EmbeddingModel
    legs_of: Callable[[Generation], Legs]
    codes: CodePattern = field(default_factory=CodePattern)
    settings: RetrievalSettings = field(default_factory=RetrievalSettings)

    def search(self, question: Question) -> Answer:
        """The best records that the caller may read.

        Raises TooManyGroups, GenerationMismatch (the model is not the one the active generation was made with),
        Refused (nothing was ever indexed, or an empty question), StoreUnavailable, ModelBusy.
        """
        if not question.text.strip():
            raise Refused("the question is empty: ask with at least one word")
        if question.limit < 1:
            raise Refused(f"cannot give {question.limit} results: ask for 1 or more")
        for _ in range(self.settings.restarts):
            try:
                return self._once(question)
            except (SnapshotGone, GenerationGone):
                continue
        raise Transient("the index changed too often while the question was answered: ask again")

    def _once(self, question: Question) -> Answer:
        stated = frozenset({*question.caller, PUBLIC})
        generation, caller = self._snapshot(stated)
        failpoint("reader.after_snapshot")
        vector = self.model.embed_query(question.text)
        asked = Asked(question, vector, self.codes.find(question.text), caller)
        authorizer = Authorizer(self.database, stated, generation.id, generation.epoch, self.settings.closure_limit)
        fused, exhausted = self._candidates(asked, self.legs_of(generation), authorizer)
        hits = self._hits(fused, question.limit, authorizer)
        truncated = len(hits) < question.limit and not exhausted
        return Answer(hits, generation.id, generation.epoch, truncated, len(authorizer.pending))

    def _snapshot(self, stated: frozenset[Principal]) -> tuple[Generation, frozenset[Principal]]:
        with self.database.read() as tx:
            generation = generations.active(tx)
            caller = principals.closure(tx, stated, self.settings.closure_limit)
        if generation is None:
            raise Refused("nothing has been indexed yet: run `lockstep run --once` first")
        if generation.fingerprint != self.model.fingerprint:
            raise GenerationMismatch(
                f"the model {self.model.name} is not the one generation {generation.id} was made with: "
                f"set the model back"
            )
        # The closure was read up to one name over the limit, stated ones included. One that was cut short must not
        # reach the prefilter: it would find no candidates, and nothing would be left to be refused at the decision.
        if len(caller) > self.settings.closure_limit:
            raise TooManyGroups(self.settings.closure_limit)
        return generation, caller

    def _candidates(self, asked: Asked, legs: Legs, authorizer: Authorizer) -> tuple[list[Fused], bool]:
        """What survives, and whether every leg gave all it had."""
        depth = max(self.settings.candidates, asked.question.limit)
        for _ in range(self.settings.deepen_times + 1):
            found = legs.search(asked, depth)
            failpoint("reader.after_search")
            authorizer.decide([candidate.id for leg in found.values() for candidate in leg])
            exhausted = _exhausted(found, depth)
            if len(authorizer.allowed) >= asked.question.limit or exhausted or depth >= self.settings.candidates_most:
                break
            depth = min(depth * self.settings.deepen_by, self.settings.candidates_most)
        return fuse(found, authorizer.allowed), exhausted

    def _hits(self, fused: Sequence[Fused], limit: int, authorizer: Authorizer) -> tuple[Hit, ...]:
        """The first `limit` that still pass the last check; those that fell away are replaced by the next ones."""
        hits: list[Hit] = []
        position = 0
        while len(hits) < limit and position < len(fused):
            chosen = fused[position : position + limit - len(hits)]
            position += len(chosen)
            with self.database.read() as tx:
                shown = documents.shown_by_record(tx, [hit.id for hit in chosen])
            # the last thing before a text leaves: nothing is looked up after this check
            texts = authorizer.texts([hit.id for hit in chosen])
            hits += [_hit(hit, texts[hit.id], shown[hit.id]) for hit in chosen if hit.id in texts and hit.id in shown]
        return tuple(hits)


def _exhausted(found: Mapping[str, Sequence[Candidate]], depth: int) -> bool:
    return all(len(leg) < depth for leg in found.values())


def _hit(fused: Fused, verdict: Verdict, shown: Shown) -> Hit:
    return Hit(
        id=fused.id,
        document=shown.key,
        source=shown.source,
        title=shown.title,
        link=shown.link,
        heading_path=verdict.heading_path,
        text=verdict.text,
        score=fused.score,
        legs=fused.legs,
        since_version=verdict.since_version,
    )
