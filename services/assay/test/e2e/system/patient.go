package system

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/assay-project/assay/services/assay/client"
)

// maxRepeats is how often Patient repeats a request.
const maxRepeats = 5

// Patient is like Checked, and repeats a request after Retry-After if a backend did not respond in time, as the
// documentation tells clients to do: a busy machine may delay any request for that long.
func Patient(transport http.RoundTripper) http.RoundTripper { return patient{Checked(transport)} }

type patient struct{ http.RoundTripper }

func (p patient) RoundTrip(req *http.Request) (*http.Response, error) {
	for repeats := 0; ; repeats++ {
		resp, err := p.RoundTripper.RoundTrip(req)
		if err != nil || repeats == maxRepeats || !timedOut(resp) {
			return resp, err
		}
		again := req.Clone(req.Context())
		if req.Body != nil && req.Body != http.NoBody {
			if req.GetBody == nil {
				return resp, nil
			}
			if again.Body, err = req.GetBody(); err != nil {
				return resp, nil
			}
		}
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil {
			return resp, nil
		}
		select {
		case <-req.Context().Done():
			return resp, nil
		case <-time.After(time.Duration(seconds) * time.Second):
		}
		req = again
	}
}

// timedOut reports whether a response says that a backend did not respond in time. It keeps the body readable.
func timedOut(resp *http.Response) bool {
	if resp.StatusCode != http.StatusServiceUnavailable {
		return false
	}
	body, err := readJSON(resp)
	var problem client.Problem
	return err == nil && json.Unmarshal(body, &problem) == nil && problem.Type == "urn:assay:problem:unavailable" &&
		problem.Detail == "A backend of this service did not respond in time."
}
