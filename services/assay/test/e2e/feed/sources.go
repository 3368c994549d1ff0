package feed

import (
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/ingest/feed/source/newsapi"
	"github.com/assay-project/assay/services/ingest/feed/source/newsapi/newsapitest"
)

// onePollAtATime: only one of several ingest services polls a source at a time, and together they stay within its quota.
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
			t.Errorf("the state is %+v, want a used quota of %d", got.State, quota)
		}
	}
	if day == utcDay() && len(news.Asked()) != quota || news.Busiest() != 1 {
		t.Errorf("%d requests, at most %d concurrent; want %d requests, 1 concurrent", len(news.Asked()), news.Busiest(), quota)
	}
}
