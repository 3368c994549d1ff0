package gemini

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/remote"
)

// failed parses an error in the format of google.rpc.Status. Its details describe limits:
// RetryInfo, and QuotaFailure for daily limits.
func failed(r remote.Response, now time.Time) *provider.Error {
	var body struct {
		Error struct {
			Message, Status string
			Details         []struct {
				Type       string `json:"@type"`
				RetryDelay string
				Reason     string // set in ErrorInfo
				Violations []struct{ QuotaID string }
			}
		}
	}
	_ = json.Unmarshal(r.Body, &body) // without a valid body, the HTTP status decides
	e := remote.Failed(r, body.Error.Message)
	if r.Status == http.StatusBadRequest && body.Error.Status == "FAILED_PRECONDITION" {
		e.Class, e.Code = provider.Suspend, provider.AccessDenied // billing problem, or unsupported region
	}
	for _, detail := range body.Error.Details {
		if detail.Reason == "API_KEY_INVALID" { // has HTTP status 400
			e.Class, e.Code = provider.Suspend, provider.AccessDenied
		}
		if wait, err := time.ParseDuration(detail.RetryDelay); err == nil && wait > 0 {
			e.RetryAfter = max(e.RetryAfter, min(wait, 24*time.Hour))
		}
		for _, v := range detail.Violations {
			if e.Class == provider.Defer && strings.Contains(v.QuotaID, "PerDay") {
				e.RetryAfter = max(e.RetryAfter, untilMidnight(now))
			}
		}
	}
	return e
}

// pacific is Pacific Standard Time. Daily quotas are reset at midnight in California. In summer,
// that is an hour earlier than midnight in this time zone, so calls wait an hour too long.
var pacific = time.FixedZone("PST", -8*60*60)

func untilMidnight(now time.Time) time.Duration {
	now = now.In(pacific)
	return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, pacific).Sub(now)
}
