package testdata

type note struct {
	// What is noted,
	// & where. See [Note.Page] for the number.
	Text string
	Page int // not in the schema: only comments above a field are
}
