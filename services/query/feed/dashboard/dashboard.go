// Package dashboard is the read side of the feed: the rows and counters of the table
// sentiment-items-dashboard, their update from images of items, and the lists, totals
// and series that are read from them.
package dashboard

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/table"

	"github.com/assay-project/assay/pkg/feed"
)

// Row is a base row or a tag row of an item in the dashboard table. Only tag rows have a Tag, and
// only base rows have a Revision. Compound, ModelVersion and the attributes from PublishedAt on,
// except ExpiresAt, are additions to the seed.
type Row struct {
	DayPartition   string   `dynamodbav:"day_partition"`
	SortKey        string   `dynamodbav:"ingested_at"` // starts with the item's IngestedAt
	SourceID       string   `dynamodbav:"source_id"`
	SourceType     string   `dynamodbav:"source_type"`
	Sentiment      string   `dynamodbav:"sentiment"`
	Score          float64  `dynamodbav:"score"`
	Compound       float64  `dynamodbav:"compound"`
	ModelVersion   string   `dynamodbav:"model_version"`
	SentimentScore string   `dynamodbav:"sentiment_score_combined,omitempty"`
	MatchedTags    []string `dynamodbav:"matched_tags,stringset"`
	Tag            string   `dynamodbav:"tag,omitempty"`
	TextSnippet    string   `dynamodbav:"text_snippet,omitempty"`
	SourceURL      string   `dynamodbav:"source_url,omitempty"`
	PublishedAt    string   `dynamodbav:"published_at,omitempty"`
	Language       string   `dynamodbav:"language,omitempty"`
	Archive        bool     `dynamodbav:"archive,omitempty"` // no counter counts the item
	FutureDate     string   `dynamodbav:"future_date,omitempty"`
	SimilarTo      string   `dynamodbav:"similar_to,omitempty"`
	Source         string   `dynamodbav:"source,omitempty"` // name of the feed source that sent the item
	ExpiresAt      int64    `dynamodbav:"expires_at"`       // epoch seconds
	Revision       string   `dynamodbav:"revision,omitempty"`
}

// Attributes used by filters of reads.
const (
	attrSentiment  = "sentiment"
	attrArchive    = "archive"
	attrSourceType = "source_type"
	attrSource     = "source"
)

// tagPartition is the suffix of a tag row's day_partition.
const tagPartition = "#tag"

// Rows returns the rows of an analyzed item: the base row, one for each tag, and one for the folded form of each tag that is
// not itself a tag of the item. An item therefore has exactly one row with each folded tag (see feed.FoldTag), which is the
// one that reads by tag use. Rows returns an error if the ingestion time is not in feed.TimeLayout.
//
// sentiment_score_combined is <sentiment>#<score to 2 decimals>, as in the seed,
// followed by the score to 5 decimals and the sort key, so that the order is total
// and correct within one hundredth. In a tag row the tag follows the sentiment.
func Rows(i feed.Item) ([]Row, error) {
	at, err := i.Ingested()
	if err != nil {
		return nil, fmt.Errorf("parse the ingestion time of %s: %w", i.SourceID, err)
	}
	base := Row{
		DayPartition: day(at), SortKey: i.IngestedAt + "#" + i.SourceID, SourceID: i.SourceID, SourceType: i.SourceType,
		Sentiment: i.Sentiment, Score: i.Score, Compound: i.Compound, ModelVersion: i.ModelVersion,
		MatchedTags: i.MatchedTags, TextSnippet: i.TextSnippet, SourceURL: i.SourceURL, PublishedAt: i.PublishedAt(), Language: i.Language(),
		Archive: i.Archive(), FutureDate: i.FutureDate(), SimilarTo: i.SimilarTo, Source: feed.SourceOf(i.Sender),
		ExpiresAt: at.Add(feed.Retention + time.Second - time.Nanosecond).Unix(), // rounded up: no row expires early
		Revision:  revision(i, false),
	}
	score := fmt.Sprintf("%.2f#%.5f#%s", i.Score, i.Score, base.SortKey)
	base.SentimentScore = ranking(i.Sentiment, "") + score
	rows := []Row{base}
	for _, tag := range tagKeys(i.MatchedTags) {
		row := base
		row.DayPartition += tagPartition
		row.SortKey += "#" + tag
		row.SentimentScore, row.Tag, row.Revision = ranking(i.Sentiment, tag)+score, tag, ""
		rows = append(rows, row)
	}
	return rows, nil
}

// tagKeys returns the tags of an item, then their folded forms that are not among them.
func tagKeys(tags []string) []string {
	keys := slices.Clone(tags)
	for _, tag := range tags {
		if folded := feed.FoldTag(tag); !slices.Contains(keys, folded) {
			keys = append(keys, folded)
		}
	}
	return keys
}

// ranking returns the prefix of sentiment_score_combined that selects the base rows
// of a sentiment or, if tag is not empty, its rows with that tag. The tag's length
// distinguishes tags with a common prefix.
func ranking(sentiment, tag string) string {
	if tag == "" {
		return sentiment + "#"
	}
	return fmt.Sprintf("%s#%d#%s#", sentiment, len(tag), tag)
}

func day(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// IngestedAt returns the ingestion time of the row's item.
func (r Row) IngestedAt() string { return r.SortKey[:min(len(r.SortKey), len(feed.TimeLayout))] }

// View returns the row's item as the HTTP API lists it, without metadata.
func (r Row) View() feed.ItemView {
	return feed.ItemView{
		SourceID: r.SourceID, SourceType: r.SourceType, IngestedAt: r.IngestedAt(), PublishedAt: r.PublishedAt, SourceURL: r.SourceURL,
		TextSnippet: r.TextSnippet, MatchedTags: r.MatchedTags, Status: string(feed.Analyzed), Language: r.Language, Unsupported: feed.Unsupported(r.Language),
		Archive: r.Archive, FutureDate: r.FutureDate, SimilarTo: r.SimilarTo,
		Sentiment: r.Sentiment, Score: r.Score, Compound: r.Compound, ModelVersion: r.ModelVersion,
	}
}

// Dashboard reads and writes the dashboard table. It is safe for concurrent use.
type Dashboard struct {
	db    *dynamodb.Client
	cache table.Reader // for eventually consistent reads
	table string
	items primary // the items that the rows are derived from
	now   func() time.Time
}

// New returns a Dashboard for the configured tables.
func New(db *dynamodb.Client, cfg feed.Config) *Dashboard {
	return &Dashboard{db: db, cache: db, table: cfg.Dashboard, items: primary{db, cfg.Primary}, now: time.Now}
}

// Through returns a copy of d that reads through a cache. Strongly consistent
// reads and all writes bypass the cache.
func (d *Dashboard) Through(cache table.Reader) *Dashboard {
	cached := *d
	cached.cache = cache
	return &cached
}

func (d *Dashboard) reader(consistent bool) table.Reader {
	if consistent {
		return d.db
	}
	return d.cache
}

// Check returns an error if the table is unavailable.
func (d *Dashboard) Check(ctx context.Context) error { return table.Check(ctx, d.db, d.table) }

func rowKey(row Row) table.Key {
	return table.Key{
		feed.AttrDayPartition: &types.AttributeValueMemberS{Value: row.DayPartition},
		feed.AttrIngestedAt:   &types.AttributeValueMemberS{Value: row.SortKey},
	}
}
