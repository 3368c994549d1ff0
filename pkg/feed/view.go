package feed

import "time"

// ItemView is an item as the HTTP API shows it.
type ItemView struct {
	SourceID     string         `json:"sourceId"`
	SourceType   string         `json:"sourceType" enum:"newsapi,twitter,reddit,rss"`
	IngestedAt   string         `json:"ingestedAt" format:"date-time"`
	PublishedAt  string         `json:"publishedAt,omitempty" format:"date-time" doc:"when the source says that the item was published; its metadata has it as published_at"`
	SourceURL    string         `json:"sourceUrl,omitempty" format:"uri"`
	TextSnippet  string         `json:"textSnippet" doc:"the first 200 characters of the text"`
	MatchedTags  []string       `json:"matchedTags"`
	Metadata     map[string]any `json:"metadata,omitempty" doc:"omitted in lists"`
	Status       string         `json:"status" enum:"pending,analyzed"`
	Language     string         `json:"language,omitempty" doc:"of the text, as BCP 47 code; und if the detection is not reliable. Only English is rated: a text of another language is neutral with the score 0.5. The metadata has it too" example:"en"`
	Sentiment    string         `json:"sentiment" enum:"positive,neutral,negative" doc:"neutral before the first analysis"`
	Score        float64        `json:"score" doc:"the confidence in the sentiment, 0 to 1; 0.5 before the first analysis"`
	Compound     float64        `json:"compound" doc:"from -1, most negative, to 1, most positive"`
	ModelVersion string         `json:"modelVersion" doc:"of the analysis; v0.0.0 before the first"`
	ErrorMessage string         `json:"errorMessage,omitempty" doc:"why the analysis failed; the item stays pending until it is retried"`
}

// View returns the item as the HTTP API shows it.
func (i Item) View() ItemView {
	return ItemView{
		SourceID: i.SourceID, SourceType: i.SourceType, IngestedAt: i.IngestedAt, PublishedAt: i.PublishedAt(), SourceURL: i.SourceURL,
		TextSnippet: i.TextSnippet, MatchedTags: i.MatchedTags, Metadata: i.Metadata, Status: string(i.Status), Language: i.Language(),
		Sentiment: i.Sentiment, Score: i.Score, Compound: i.Compound, ModelVersion: i.ModelVersion,
		ErrorMessage: i.ErrorMessage,
	}
}

// PublishedAt returns the time in the metadata at which the source says that the item was published, in
// UTC, empty for none.
func (i Item) PublishedAt() string {
	text, _ := i.Metadata["published_at"].(string)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// metaLanguage is the metadata entry with the language of the text. An analysis replaces the
// submission's entry.
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

// Scored reports whether the item has the result of an analysis, as it also does while it waits for
// another one.
func (i Item) Scored() bool { return i.Status == Analyzed || i.AnalyzedAt != "" }

// Analyzed is AnalyzedAt as a time, the zero time before the first analysis.
func (i Item) Analyzed() (time.Time, error) { return parseTime(i.AnalyzedAt) }

// Failed is FailedAt as a time, the zero time unless the analysis was given up.
func (i Item) Failed() (time.Time, error) { return parseTime(i.FailedAt) }

// GivenUp reports whether the analysis of a pending item was given up: the item does not change
// until a retry.
func (i Item) GivenUp() bool { return i.Status == Pending && i.FailedAt != "" }

// Settled reports whether processing has ended: in a final state, or given up.
func (i Item) Settled() bool { return Machine().IsFinal(i.Status) || i.GivenUp() }

func parseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(TimeLayout, text)
}
