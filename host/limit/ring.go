package limit

// ring is a queue of times in the order in which they came.
type ring struct {
	times  []int64
	first  int
	length int
}

// smallest is the capacity that a ring begins with.
const smallest = 8

// at is the i-th time, the oldest being the 0th.
func (r *ring) at(i int) int64 { return r.times[(r.first+i)%len(r.times)] }

// push adds a time. The ring grows by doubling, and never beyond most.
func (r *ring) push(t int64, most int) {
	if r.length == len(r.times) {
		r.resize(max(min(max(2*r.length, smallest), most), r.length+1))
	}
	r.times[(r.first+r.length)%len(r.times)] = t
	r.length++
}

// expire drops the times up to and including limit: a call that is exactly one window old has left it.
func (r *ring) expire(limit int64) {
	for r.length > 0 && r.at(0) <= limit {
		r.first = (r.first + 1) % len(r.times)
		r.length--
	}
	// A burst is not paid for until the end of days.
	if len(r.times) > smallest && r.length < len(r.times)/4 {
		r.resize(max(len(r.times)/2, smallest))
	}
}

func (r *ring) resize(capacity int) {
	times := make([]int64, capacity)
	for i := range r.length {
		times[i] = r.at(i)
	}
	r.times, r.first = times, 0
}
