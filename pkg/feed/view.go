package feed

import (
	"time"

	"github.com/assay-project/assay/pkg/extract/language"
	"github.com/assay-project/assay/pkg/table"
)

// ItemView is an item as the HTTP API shows it.
type ItemView struct {
	SourceID     string         `json:"sourceId"`
	SourceType   string         `json:"sourceType" enum:"newsapi,twitter,reddit,rss"`
	IngestedAt   string         `json:"ingestedAt" format:"date-time"`
	PublishedAt  string         `json:"publishedAt,omitempty" format:"date-time" doc:"publication time according to the source; also in the metadata as published_at"`
	SourceURL    string         `json:"sourceUrl,omitempty" format:"uri"`
	TextSnippet  string         `json:"textSnippet" doc:"the first 200 characters of the text"`
	MatchedTags  []string       `json:"matchedTags"`
	Metadata     table.Document `json:"metadata,omitempty" doc:"omitted in lists; numbers have all their digits, which some JSON readers round"`
	Status       string         `json:"status" enum:"pending,analyzed"`
	Language     string         `json:"language,omitempty" doc:"ISO 639-1 code of the text; und if it could not be detected reliably. Only English is rated. Also in the metadata" example:"en"`
	Unsupported  bool           `json:"unsupported,omitempty" doc:"whether the text is in a language whose sentiment is not rated; it is then neutral with the score 0"`
	Sentiment    string         `json:"sentiment" enum:"positive,neutral,negative" doc:"neutral before the first analysis"`
	Score        float64        `json:"score" doc:"the confidence in the sentiment, 0 to 1; 0.5 before the first analysis"`
	Compound     float64        `json:"compound" doc:"from -1, most negative, to 1, most positive"`
	ModelVersion string         `json:"modelVersion" doc:"model version of the analysis; v0.0.0 before the first"`
	Archive      bool           `json:"archive,omitempty" doc:"whether the item was published before its source was added; lists show it, totals and series do not count it"`
	FutureDate   string         `json:"futureDate,omitempty" format:"date-time" doc:"the publication time according to the source, if it was in the future when the item arrived; publishedAt is then absent"`
	SimilarTo    string         `json:"similarTo,omitempty" doc:"the id of an earlier item with nearly the same text, such as the same story of another outlet"`
	ErrorMessage string         `json:"errorMessage,omitempty" doc:"why the analysis failed; the item stays pending until it is retried"`
}

// View returns the item as the HTTP API shows it.
func (i Item) View() ItemView {
	return ItemView{
		SourceID: i.SourceID, SourceType: i.SourceType, IngestedAt: i.IngestedAt, PublishedAt: i.PublishedAt(), SourceURL: i.SourceURL,
		TextSnippet: i.TextSnippet, MatchedTags: i.MatchedTags, Metadata: i.Metadata, Status: string(i.Status), Language: i.Language(),
		Unsupported: i.Unsupported(), Sentiment: i.Sentiment, Score: i.Score, Compound: i.Compound, ModelVersion: i.ModelVersion,
		Archive: i.Archive(), FutureDate: i.FutureDate(), SimilarTo: i.SimilarTo, ErrorMessage: i.ErrorMessage,
	}
}

// Names of metadata entries that Assay sets in the items of sources.
const (
	MetaPublishedAt = "published_at" // RFC 3339
	MetaFutureDate  = "future_date"  // RFC 3339; a publication time in the future, instead of MetaPublishedAt
	MetaArchive     = "archive"      // true for an item that is older than its source
)

// PublishedAt returns the publication time from the metadata, in UTC, or "" if there is none.
func (i Item) PublishedAt() string { return i.time(MetaPublishedAt) }

// FutureDate returns a publication time that was in the future when the item arrived, in UTC, or "".
func (i Item) FutureDate() string { return i.time(MetaFutureDate) }

func (i Item) time(name string) string {
	text, _ := i.Metadata[name].(string)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// Archive reports whether the item was published before its source was added. Items of other senders are never part of
// an archive, whatever their metadata says.
func (i Item) Archive() bool {
	archive, _ := i.Metadata[MetaArchive].(bool)
	return archive && FromSource(i.Sender)
}

// metaLanguage is the name of the metadata entry with the language of the text. An analysis replaces
// the submission's entry.
const metaLanguage = "language"

// Language returns the language of the text as detected by the last analysis, or "" if it was not
// detected. The entry of a submission is ignored until an analysis has replaced it.
func (i Item) Language() string {
	if !i.Scored() {
		return ""
	}
	text, _ := i.Metadata[metaLanguage].(string)
	return text
}

// Unsupported reports whether the text is in a language whose sentiment is not rated.
func (i Item) Unsupported() bool { return Unsupported(i.Language()) }

// Unsupported reports whether sentiment is not rated in a language, given its code, or "" if it is not known.
func Unsupported(code string) bool {
	return code != "" && code != language.English && code != language.Undetermined
}

// Scored reports whether the item has a result, possibly an old one while it waits for reanalysis.
func (i Item) Scored() bool { return i.Status == Analyzed || i.AnalyzedAt != "" }

// Analyzed returns AnalyzedAt as a time, the zero time before the first analysis.
func (i Item) Analyzed() (time.Time, error) { return parseTime(i.AnalyzedAt) }

// Failed returns FailedAt as a time, the zero time unless the analysis was given up.
func (i Item) Failed() (time.Time, error) { return parseTime(i.FailedAt) }

// GivenUp reports whether the analysis of a pending item was given up: the item does not change
// until a retry.
func (i Item) GivenUp() bool { return i.Status == Pending && i.FailedAt != "" }

// Settled reports whether processing has finished: the item is in a final state, or was given up.
func (i Item) Settled() bool { return Machine().IsFinal(i.Status) || i.GivenUp() }

func parseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(TimeLayout, text)
}
