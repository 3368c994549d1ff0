package feed

import (
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/ingest/feed/source/newsapi"
	"github.com/assay-project/assay/services/ingest/feed/source/newsapi/newsapitest"
)

// onePollAtATime: only one of several ingests polls a source at a time, and
// all of them together stay within its quota.
func onePollAtATime(t *testing.T, start system.Starter) {
	const quota = 8
	news := newsapitest.Start(t)
	news.Publish(newsapi.Article{Title: "Solar", URL: "https://example.com/", PublishedAt: time.Now().Add(-time.Hour)})
	c := start(t, sourcesEnv...)
	ingests := []*system.Service{c.Service(t, "ingest"), c.Service(t, "ingest"), c.Service(t, "ingest")}
	day := utcDay()
	putSource(t, ingests[0].Operator, "news", "", system.Settings{"kind": "newsapi", "url": news.URL, "enabled": true, "interval": "50ms", "tags": []string{"solar", "wind"}, "quota": quota})
	for _, ingest := range ingests {
		if got := awaitOutcome(t, ingest.Operator, "news", "quota"); got.State.QuotaUsed != quota && day == utcDay() {
			t.Errorf("got %+v", got.State)
		}
	}
	if day == utcDay() && len(news.Asked()) != quota || news.Busiest() != 1 {
		t.Errorf("%d requests of a quota of %d, up to %d concurrently", len(news.Asked()), quota, news.Busiest())
	}
}
