"""SQL that takes from a store of today what earlier formats did not have.
SPDX-License-Identifier: Apache-2.0"""

FORMAT_9 = """
ALTER TABLE event DROP COLUMN epoch;
ALTER TABLE task DROP COLUMN features;
ALTER TABLE decision DROP COLUMN segue_arm;
ALTER TABLE decision DROP COLUMN segue_probability;
ALTER TABLE reward DROP COLUMN asks;
ALTER TABLE reward DROP COLUMN segue_arm;
ALTER TABLE reward DROP COLUMN segue_probability;
DROP INDEX event_trim;
DROP TABLE chain;
DROP TABLE removed;
DROP TABLE base;
DROP TABLE reward_part;
DROP TABLE merged;
UPDATE learner SET config = json_remove(config, '$.mode');
PRAGMA user_version = 9;
"""

FORMAT_5 = FORMAT_9 + """
DROP TABLE initial;
ALTER TABLE reward DROP COLUMN probability;
ALTER TABLE task DROP COLUMN control_share;
PRAGMA user_version = 5;
"""
