package gemini

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/remote"
)

// failed reads an error in the form of google.rpc.Status. Limits are reported in the details
// of the body: RetryInfo, and QuotaFailure for those of a day.
func failed(r remote.Response, now time.Time) *provider.Error {
	var body struct {
		Error struct {
			Message, Status string
			Details         []struct {
				Type       string `json:"@type"`
				RetryDelay string
				Reason     string // of ErrorInfo
				Violations []struct{ QuotaID string }
			}
		}
	}
	_ = json.Unmarshal(r.Body, &body) // what cannot be read is classed by the HTTP status
	e := remote.Failed(r, body.Error.Message)
	if r.Status == http.StatusBadRequest && body.Error.Status == "FAILED_PRECONDITION" {
		e.Class, e.Code = provider.Suspend, provider.AccessDenied // billing, or a region that is not served
	}
	for _, detail := range body.Error.Details {
		if detail.Reason == "API_KEY_INVALID" { // with status 400
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

// pacific is the standard time of the Pacific: quotas of a day are reset at
// midnight there. In summer that is an hour earlier, which costs an hour.
var pacific = time.FixedZone("PST", -8*60*60)

func untilMidnight(now time.Time) time.Duration {
	now = now.In(pacific)
	return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, pacific).Sub(now)
}
