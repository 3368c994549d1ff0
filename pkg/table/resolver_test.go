package table

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// asked counts the requests that it answers with nothing.
type asked struct {
	mu   sync.Mutex
	urls map[string]int
}

func (a *asked) Do(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	signed := "unsigned "
	if strings.Contains(r.Header.Get("Authorization"), "/eu-central-1/dynamodb/aws4_request") {
		signed = ""
	}
	a.urls[signed+r.Header.Get("X-Amz-Target")+" "+r.URL.String()+" "+r.Host]++
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// With a remembered endpoint, requests go where the SDK sends them, signed in the same
// way, also many at once.
func TestEndpointsAreThoseOfTheSDK(t *testing.T) {
	for name, endpoint := range map[string]string{"an engine of one's own": "http://127.0.0.1:8000/under", "AWS": ""} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := &asked{urls: map[string]int{}}, &asked{urls: map[string]int{}}
			var all sync.WaitGroup
			for _, to := range []*asked{ours, theirs} {
				db := Connect(aws.Config{
					Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""), HTTPClient: to,
					AccountIDEndpointMode: aws.AccountIDEndpointModePreferred,
				}, Config{Endpoint: endpoint})
				if to == theirs {
					db = dynamodb.New(db.Options(), func(o *dynamodb.Options) {
						o.EndpointResolverV2 = dynamodb.NewDefaultEndpointResolverV2()
					})
				}
				for range 8 {
					all.Go(func() {
						for _, table := range []string{"doors", "arn:aws:dynamodb:eu-central-1:123456789012:table/doors"} {
							key := Key{"id": Text("d1")}
							_, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &table, Key: key})
							if err != nil {
								t.Error(err)
							}
							if _, err = db.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
								{Delete: &types.Delete{TableName: &table, Key: key}},
							}}); err != nil {
								t.Error(err)
							}
						}
					})
				}
			}
			all.Wait()
			if !maps.Equal(ours.urls, theirs.urls) {
				t.Errorf("asked %v, the SDK asks %v", ours.urls, theirs.urls)
			}
			for asked := range ours.urls {
				if strings.HasPrefix(asked, "unsigned") {
					t.Errorf("asked %s", asked)
				}
			}
		})
	}
}
