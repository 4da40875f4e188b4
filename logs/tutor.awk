# tutor.awk - write logs/tutor.csv, the sample log: 300 simulated students, 36 exercises each.
#
#     awk -f logs/tutor.awk > logs/tutor.csv
#
# The students are simulated. A student is a task, a form of exercise an arm, and the reward is 1 if the
# exercise was solved. The log draws each arm with probability 1/4. A student has one of three types:
#
#     share   video   quiz   game   text
#      0.5     0.80   0.35   0.45   0.40
#      0.3     0.30   0.75   0.40   0.45
#      0.2     0.40   0.35   0.30   0.85
#
# SPDX-License-Identifier: Apache-2.0
function uniform() { # a linear congruential generator: the same numbers on every awk
    state = (state * 16807) % 2147483647
    return state / 2147483647
}
function draw_type(  u) {
    u = uniform()
    return u < 0.5 ? 0 : u < 0.8 ? 1 : 2
}
BEGIN {
    state = 2013
    n_arms = split("video quiz game text", arms)
    split("0.80 0.35 0.45 0.40  0.30 0.75 0.40 0.45  0.40 0.35 0.30 0.85", means)
    print "task,arm,reward,time,probability"
    for (student = 1; student <= 300; student++) {
        type = draw_type()
        day = int((student - 1) / 5) # five students per day, from 1 September on
        for (exercise = 0; exercise < 36; exercise++) {
            arm = 1 + int(n_arms * uniform())
            printf "s%d,%s,%d,2025-%02d-%02dT%02d:%02d,0.25\n", student, arms[arm], \
                uniform() < means[n_arms * type + arm], 9 + int(day / 30), 1 + day % 30, \
                9 + int(exercise / 12), exercise % 12 * 5
        }
    }
}
