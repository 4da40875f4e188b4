/* test_logs_json.c - nested keys of JSON Lines by their paths, and dsjson.
 * SPDX-License-Identifier: Apache-2.0 */
#include "logs_fixture.h"

/* ---- paths of JSON ----------------------------------------------------------------------- */

static void nested_keys_are_read_by_their_paths(void **state)
{
    (void)state;
    write_text(
        "{\"c\":{\"v\":[1,{\"u\":9}],\"u\":{\"id\":\"x\",\"n\":[]}},\"l\":[{\"a\":\"p\"},{\"a\":5}]"
        ","
        "\"r\":{\"o\":{\"k\":0.25}}}\n"
        "{ \"r\" : { \"z\":{\"k\":7}, \"o\" : { \"k\" : true } } , \"l\" : [ {\"a\":\"q\"} ] ,"
        " \"c\" : { \"u\" : {\"id\" : 7 } } }\n");
    const log_read_options options = {.highest = 1.0, .column = {"c.u.id", "l.0.a", "r.o.k"}};
    segue_history h;
    assert_ok(segue_history_read(&h, own_path, &options, NULL));
    assert_string_equal(h.task_name[0], "x");
    assert_string_equal(h.task_name[1], "7");
    assert_string_equal(h.arm_name[h.row[0].arm], "p");
    assert_string_equal(h.arm_name[h.row[1].arm], "q");
    assert_near(h.row[0].reward, 0.25, 0.0);
    assert_near(h.row[1].reward, 1.0, 0.0);
    segue_history_fini(&h);
}

/* An object must not have both. */
static void a_key_with_a_dot_is_the_same_path(void **state)
{
    (void)state;
    write_text("{\"c\":{\"u\":\"nested\"},\"c.u\":\"flat\",\"arm\":1,\"reward\":1}\n"
               "{\"c.u\":\"flat\",\"arm\":2,\"reward\":1}\n");
    const log_read_options options = {.highest = 1.0, .column = {"c.u"}};
    segue_history h;
    segue_error err;
    assert_int_equal(segue_history_read(&h, own_path, &options, &err), SEGUE_EPARSE);
    assert_non_null(strstr(err.message, "'c.u' is there twice"));
    write_text("{\"c.u\":\"flat\",\"arm\":1,\"reward\":1}\n{\"c\":{\"u\":\"flat\"},\"arm\":2,"
               "\"reward\":1}\n");
    assert_ok(segue_history_read(&h, own_path, &options, NULL));
    assert_int_equal(h.n_tasks, 1);
    segue_history_fini(&h);
}

/* ---- dsjson ------------------------------------------------------------------------------ */

static segue_history read_dsjson(const char *text, const log_read_options *options)
{
    segue_history h;
    segue_error err;
    write_text(text);
    if (segue_history_read(&h, own_path, options, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return h;
}

static void decisions_of_dsjson_become_rows(void **state)
{
    (void)state;
    const log_read_options options = {
        .highest = 1.0, .time = true, .probability = true, .column = {"c.u"}};
    segue_history h = read_dsjson(
        "{\"RewardValue\":1,\"EnqueuedTimeUtc\":\"2024-01-01T00:00:00Z\",\"EventId\":\"lost\"}\n"
        "{\"_label_cost\":-0.25,\"_label_probability\":0.8,\"_label_Action\":2,\"_labelIndex\":1,"
        "\"Timestamp\":\"1970-01-01T00:01:00.5000000Z\",\"EventId\":\"e\",\"a\":[2,1],\"c\":{\"u\":"
        "\"x\","
        "\"_multi\":[{\"_tag\":\"p\"},{\"f\":1,\"_tag\":\"q\",\"i\":{\"id\":\"z\"}}]},\"p\":[0.8,0."
        "2]}\n"
        "{\"_label_cost\":0,\"_skipLearn\":true,\"_label_probability\":1,\"Timestamp\":\"1970-01-"
        "01\","
        "\"_label_Action\":1,\"c\":{\"u\":\"y\"}}\n"
        "{\"c\":{\"_multi\":[{\"i\":{\"id\":\"r\"}},{\"_tag\":\"q\"}],\"u\":\"x\"},\"a\":[1,2],"
        "\"p\":[0.5,0.5],"
        "\"Timestamp\":\"1970-01-01T00:00:01Z\",\"_skipLearn\":false,\"_label_cost\":0}\n",
        &options);
    assert_int_equal(h.n_rows, 2);
    assert_int_equal(h.n_tasks, 1);
    assert_string_equal(h.arm_name[h.row[0].arm], "q");
    assert_string_equal(h.arm_name[h.row[1].arm], "r");
    assert_near(h.row[0].reward, 0.25, 0.0);
    assert_near(h.row[1].reward, 0.0, 0.0);
    assert_near(h.probability[0], 0.8, 0.0);
    assert_near(h.probability[1], 0.5, 0.0);
    assert_near(h.time[0], 60.5, 1e-9);
    assert_int_equal(h.rows.skipped.dangling, 1);
    assert_int_equal(h.rows.skipped.inactive, 1);
    assert_int_equal(segue_log_rows_count_skipped(&h.rows.skipped), 2);
    segue_history_fini(&h);
}

static void actions_without_names_are_numbers(void **state)
{
    (void)state;
    const log_read_options options = {.highest = 1.0, .column = {"c.u"}};
    segue_history h = read_dsjson("{\"_label_cost\":0,\"_labelIndex\":9,\"c\":{\"u\":\"x\"}}\n"
                                  "{\"_label_cost\":0,\"_label_Action\":2,\"c\":{\"u\":\"x\"}}\n",
                                  &options);
    assert_string_equal(h.arm_name[0], "2");
    assert_string_equal(h.arm_name[1], "10");
    segue_history_fini(&h);
}

/* Options name other keys than those of dsjson: then the reward is no cost. */
static void options_name_other_keys_of_dsjson(void **state)
{
    (void)state;
    const log_read_options options = {
        .highest = 1.0, .probability = true, .column = {"c.u", "c.arm", "o.0.v", NULL, "p.1"}};
    segue_history h = read_dsjson(
        "{\"_label_cost\":-7,\"o\":[{\"v\":0.5}],\"c\":{\"u\":\"x\",\"arm\":\"a\"},\"p\":[1,0.25]}"
        "\n"
        "{\"_label_cost\":-7,\"o\":[{\"v\":1}],\"c\":{\"u\":\"x\",\"arm\":\"b\"},\"p\":[1,0.75]}\n",
        &options);
    assert_near(h.row[0].reward, 0.5, 0.0);
    assert_near(h.probability[0], 0.25, 0.0);
    assert_string_equal(h.arm_name[1], "b");
    segue_history_fini(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_keys_are_read_by_their_paths),
        cmocka_unit_test(a_key_with_a_dot_is_the_same_path),
        cmocka_unit_test(decisions_of_dsjson_become_rows),
        cmocka_unit_test(actions_without_names_are_numbers),
        cmocka_unit_test(options_name_other_keys_of_dsjson),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
